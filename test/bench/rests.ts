/** Rests of callers that go on without an end: moments in which nobody asks anything. */
export class Rests {
  private callers: number;
  private resting = 0;
  private over: PromiseWithResolvers<void> | undefined;
  private all: PromiseWithResolvers<void> | undefined;

  /** @param callers how many call `pass` between what they do */
  constructor(callers: number) {
    this.callers = callers;
  }

  /** Called by a caller that asks nothing at the moment: waits where there is a rest. */
  async pass(): Promise<void> {
    if (!this.over) return;
    this.resting++;
    this.look();
    await this.over.promise;
    this.resting--;
  }

  /** Called by a caller that will ask nothing any more. */
  leave(): void {
    this.callers--;
    this.look();
  }

  /** Resolves once all callers rest. */
  async begin(): Promise<void> {
    this.over = Promise.withResolvers();
    this.all = Promise.withResolvers();
    this.look();
    await this.all.promise;
  }

  end(): void {
    this.over?.resolve();
    this.over = undefined;
    this.all = undefined;
  }

  private look(): void {
    if (this.resting >= this.callers) this.all?.resolve();
  }
}
