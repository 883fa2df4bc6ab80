/** Documents and settings that tests import as text. */
declare module "*.md?raw" {
  const text: string;
  export default text;
}
declare module "*.toml?raw" {
  const text: string;
  export default text;
}

declare module "*.yml?raw" {
  const text: string;
  export default text;
}

declare module "*.js?raw" {
  const text: string;
  export default text;
}
