/**
 * An authority and four signers that are made for tests alone, by OpenSSL 3 for a hundred years: each a certificate for e-mail
 * protection of the authority. Their keys are no secrets.
 */

/** Trust anchors. */
export const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBzDCCAXGgAwIBAgIUGlxNlZDmlFVttxzPdxNfdtVw9TQwCgYIKoZIzj0EAwIw
MjEXMBUGA1UECgwORGFya3Jvb20gdGVzdHMxFzAVBgNVBAMMDlRlc3QgYXV0aG9y
aXR5MCAXDTI2MTEyODIxMDY0NloYDzIxMjYxMTA0MjEwNjQ2WjAyMRcwFQYDVQQK
DA5EYXJrcm9vbSB0ZXN0czEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAATtEWW9jn2LP/CeXPb+ASlcFRpYOv2N1LNh7k4g
BnkSeN4nv9+7sHsiiYFtVxj3sBJWVZMvQojIJDS1iBLf/wEmo2MwYTAdBgNVHQ4E
FgQUaGA1Fjg9kPbeCZ8qwq25uAQTPMowHwYDVR0jBBgwFoAUaGA1Fjg9kPbeCZ8q
wq25uAQTPMowDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZI
zj0EAwIDSQAwRgIhAKCIsTmbZ040RnnX21i/kMX8d8rwG5I/ywCX7VpBmj9eAiEA
3pIDfiRnm2OMOXF85+IfBVUc7kA++cRVQUfR2ps0xy0=
-----END CERTIFICATE-----
`;
