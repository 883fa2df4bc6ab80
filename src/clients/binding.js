/**
 * `darkroom/binding`: the platform's image binding over the entrance `Images`, whose answers are promises: a chain is sent
 * when `output` is called, and what it gives is at hand.
 */

/**
 * @typedef {object} EntranceChain
 * @property {(options: object) => EntranceChain} transform
 * @property {(image: ReadableStream | EntranceChain, options?: object) => EntranceChain} draw
 * @property {(options: object) => Promise<EntranceResult>} output
 */

/** @typedef {{ image(): ReadableStream | Promise<ReadableStream>, contentType(): string | Promise<string> }} EntranceResult */

/**
 * @typedef {object} Entrance
 * @property {(stream: ReadableStream, options?: object) => EntranceChain} input
 * @property {(stream: ReadableStream, options?: object) => Promise<object>} info
 */

/** @typedef {{ image(): ReadableStream, response(): Response, contentType(): string }} Result */

/**
 * @typedef {object} Transformer
 * @property {(options: object) => Transformer} transform
 * @property {(image: ReadableStream | Transformer, options?: object) => Transformer} draw
 * @property {(options: { format: string, quality?: number, background?: string, anim?: boolean }) => Promise<Result>} output
 */

/** @type {WeakMap<object, () => Promise<EntranceChain>>} */
const chains = new WeakMap();

/**
 * What the platform's binding throws.
 * @param {number} code
 * @param {string} message
 */
const failure = (code, message) => Object.assign(new Error(message), { name: "ImagesError", code });

/**
 * @param {Entrance} entrance
 * @param {ReadableStream} stream
 * @param {object} [options]
 * @returns {Transformer}
 */
function transformerOf(entrance, stream, options) {
  /** @type {((chain: EntranceChain) => EntranceChain | Promise<EntranceChain>)[]} */
  const steps = [];
  let isConsumed = false;
  const first = async () => entrance.input(stream, options);
  const chain = () => steps.reduce(async (before, step) => step(await before), first());
  /** @type {Transformer} */
  const transformer = {
    transform(given) {
      steps.push((before) => before.transform(given));
      return transformer;
    },
    draw(image, given) {
      steps.push(async (before) => before.draw(await drawnOf(image), given));
      return transformer;
    },
    async output(given) {
      if (isConsumed) {
        const message = "IMAGES_TRANSFORM_ERROR 9525: ImageTransformer consumed; you may only call .output() once";
        throw failure(9525, message);
      }
      isConsumed = true;
      return told(async () => {
        const made = await (await chain()).output(given);
        const [bytes, mime] = await Promise.all([made.image(), made.contentType()]);
        return resultOf(bytes, mime);
      });
    },
  };
  chains.set(transformer, chain);
  return transformer;
}

/** @param {ReadableStream | Transformer} image */
async function drawnOf(image) {
  return image instanceof ReadableStream ? image : /** @type {EntranceChain} */ (await chains.get(image)?.());
}

/**
 * @param {ReadableStream} stream
 * @param {string} mime
 * @returns {Result}
 */
function resultOf(stream, mime) {
  return {
    image: () => stream,
    response: () => new Response(stream, { headers: { "content-type": mime } }),
    contentType: () => mime,
  };
}

/**
 * @template Value
 * @param {() => Promise<Value>} work
 * @returns {Promise<Value>}
 */
async function told(work) {
  try {
    return await work();
  } catch (error) {
    const { message = "" } = /** @type {Partial<Error>} */ (error);
    const code = /^(?:ImagesError: )?IMAGES_\w+_ERROR (\d+): /.exec(message)?.[1];
    if (code === undefined) throw error;
    throw failure(Number(code), message.replace(/^ImagesError: /, ""));
  }
}

/**
 * The platform's image binding, of a service binding to the entrance `Images`. Errors have its `code`.
 * @param {Entrance} entrance
 * @returns {{ input(stream: ReadableStream, options?: object): Transformer, info: Entrance["info"] }}
 */
export const imagesOver = (entrance) => ({
  input: (stream, options) => transformerOf(entrance, stream, options),
  info: (stream, options) => told(() => entrance.info(stream, options)),
});
