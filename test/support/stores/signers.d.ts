/** The part of the signing packages that the tests call. */
declare module "aws4" {
  interface Signable {
    service: string;
    region: string;
    method: string;
    path: string;
    headers: Record<string, string>;
  }
  const aws4: {
    sign(
      request: Signable,
      credentials: { accessKeyId: string; secretAccessKey: string },
    ): {
      headers?: Record<string, string>;
    };
  };
  export default aws4;
}

declare module "ali-oss/lib/common/signUtils.js" {
  const signUtils: {
    authorizationV4(
      id: string,
      secret: string,
      region: string,
      method: string,
      request: { headers: Record<string, string>; queries?: Record<string, string> },
      bucket: string,
      object: string,
    ): string;
  };
  export default signUtils;
}
