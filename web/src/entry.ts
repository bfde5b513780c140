/** The number of a field: what is typed counts at once if it is allowed; at the end it must be. */
export class NumberEntry {
  min: number;
  max: number;
  /** The number that counts. */
  value: number;
  /** The number before the user began to type. */
  private kept: number;

  constructor(min: number, max: number, value: number) {
    [this.min, this.max, this.value, this.kept] = [min, max, value, value];
  }

  /** Set the number, or the nearest that is allowed; no number is ignored. */
  set(value: number): void {
    if (!Number.isNaN(value)) this.value = this.allowed(value);
    this.kept = this.value;
  }

  limit(min: number, max: number): void {
    [this.min, this.max] = [min, max];
    this.value = this.allowed(this.value);
    this.kept = this.allowed(this.kept);
  }

  /** The user types: return whether the number changes. */
  type(text: string): boolean {
    const value = text.trim() === "" ? NaN : Number(text);
    if (!(value >= this.min && value <= this.max) || value === this.value) return false;
    this.value = value;
    return true;
  }

  /** The user has typed: return whether it is refused, and the number from before counts again. */
  end(text: string): boolean {
    this.type(text);
    const isRefused = text.trim() === "" || Number(text) !== this.value;
    this.set(isRefused ? this.kept : this.value);
    return isRefused;
  }

  private allowed(value: number): number {
    return Math.min(this.max, Math.max(this.min, value));
  }
}
