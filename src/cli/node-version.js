/**
 * Looks at Node's version before a script is loaded: `node --import ./src/cli/node-version.js …`. The scripts are
 * TypeScript, which older versions do not read; what they would say is a stack trace.
 */
const NEEDED = [22, 18];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [neededMajor = 0, neededMinor = 0] = NEEDED;
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  process.stderr.write(
    `Darkroom needs Node ${NEEDED.join(".")} or later; this is ${process.version}.\n` +
      "Install Node 24, by its installer (https://nodejs.org) or a version manager (fnm install 24, nvm install 24), " +
      "then run npm install once more.\n",
  );
  process.exit(1);
}
