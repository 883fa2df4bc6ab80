/** The accounts that the test stores know. Made up. */
export const S3_KEYS = { key: "AKIATESTACCESSKEY0001", secret: "sW4n+s3cr3t/ThatMust~NotLeak=0123456789abc" };
export const SWIFT_ACCOUNT = { username: "tester", key: "b2f1a0c9d8e7-swift-api-key" };
export const IAM_KEY = { key: "iam-Api_Key-0123456789abcdef" };
/** The account of the storage emulator, publicly known. */
export const BLOB_ACCOUNT = {
  account: "devstoreaccount1",
  key: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
};
export const CLIENT_EMAIL = "writer@project-1.iam.gserviceaccount.com";
