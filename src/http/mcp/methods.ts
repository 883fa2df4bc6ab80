/** The methods of the protocol that a service with tools and nothing else has. */
import { dotted } from "../../contract/message.ts";
import { isObject } from "../../json.ts";
import { apiDocument } from "../document.ts";
import { agreedVersion, CODES, ENVELOPED, inEnvelope, type Json, RpcError, type RpcRequest } from "./protocol.ts";
import { type Picture, type Routes, type Told, type Tool, ToolFailure } from "./tool.ts";
import { TOOLS } from "./tools.ts";

/** Tools change with the service alone: nobody has to ask again within an hour. */
const CACHED = { ttlMs: 3_600_000, cacheScope: "public" } as const;
const CAPABILITIES = { tools: {} };
const INSTRUCTIONS =
  "Results are URLs that work for about an hour. Ask for what is needed in one call: a call that processes an image " +
  "costs a credit.";

/** Who answers. */
const SERVER = { name: "darkroom", title: "Darkroom", version: "1.0" };

/**
 * The result of a request.
 * @throws RpcError when it cannot have one
 */
export async function resultOf(request: RpcRequest, enveloped: boolean, routes: Routes): Promise<Json> {
  const methods = enveloped ? WITH_ENVELOPE : WITH_HANDSHAKE;
  const method = methods.get(request.method);
  if (!method) throw new RpcError(CODES.method, "Method not found", { status: enveloped ? 404 : 200 });
  const result = await method(request.params, routes);
  return enveloped ? inEnvelope(result, SERVER) : result;
}

type Method = (params: Json, routes: Routes) => Json | Promise<Json>;

const WITH_HANDSHAKE: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "initialize",
    (params) => ({
      protocolVersion: agreedVersion(params),
      capabilities: CAPABILITIES,
      serverInfo: SERVER,
      instructions: INSTRUCTIONS,
    }),
  ],
  ["ping", () => ({})],
  ["tools/list", async () => ({ tools: await listed() })],
  ["tools/call", callTool],
]);

const WITH_ENVELOPE: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "server/discover",
    () => ({ supportedVersions: ENVELOPED, capabilities: CAPABILITIES, instructions: INSTRUCTIONS, ...CACHED }),
  ],
  ["tools/list", async () => ({ tools: await listed(), ...CACHED })],
  ["tools/call", callTool],
]);

/** What tools say, from the first time that it is asked for: schemas of the whole document are turned over for it. */
const TOLD = new Map<Tool, Told>();

async function toldOf(tool: Tool): Promise<Told> {
  const told = TOLD.get(tool) ?? tool.tell(await apiDocument());
  TOLD.set(tool, told);
  return told;
}

async function listed(): Promise<Json[]> {
  const tools: Json[] = [];
  for (const [name, tool] of TOOLS) {
    const { title, isReadOnly, isOpenWorld } = tool;
    // What a client takes for granted is left out: that a tool writes, destroys and calls others.
    const annotations = {
      ...(isReadOnly ? { readOnlyHint: true } : { destructiveHint: false }),
      ...(!isOpenWorld && { openWorldHint: false }),
    };
    tools.push({ name, title, ...(await toldOf(tool)), annotations });
  }
  return tools;
}

/** What a tool gives, as text for models and as data for programs; what it refuses is a result, too: models read those. */
async function callTool(params: Json, routes: Routes): Promise<Json> {
  const { name, arguments: args = {} } = params;
  const tool = typeof name === "string" ? TOOLS.get(name) : undefined;
  if (!tool) throw new RpcError(CODES.params, "params.name must be the name of a tool", { status: 200 });
  if (!isObject(args)) throw new RpcError(CODES.params, "params.arguments must be an object", { status: 200 });
  try {
    refuseUnknown(await toldOf(tool), args);
    const { data, picture } = await tool.call(args, routes);
    const text = { type: "text", text: JSON.stringify(data) };
    return { content: [text, ...(picture ? [imageContent(picture)] : [])], structuredContent: data };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

function imageContent({ bytes, mimeType }: Picture): Json {
  return { type: "image", data: bytes.toBase64(), mimeType };
}

/** What the tool does not offer is not smuggled into the request behind it. */
function refuseUnknown({ inputSchema }: Told, args: Json): void {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(inputSchema.properties, name));
  if (unknown !== undefined) throw new ToolFailure(`${dotted([unknown])} is not a known parameter`);
}
