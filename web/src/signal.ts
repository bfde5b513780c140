/** Observable values. */
import { notify } from "./wire";

/** A value with listeners for its changes. */
export class Signal<T> {
  private current: T;
  private readonly listeners: ((value: T) => void)[] = [];

  constructor(value: T) {
    this.current = value;
  }

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    notify(this.listeners, value);
  }

  /** Call a listener with the current value now, and with every new one. */
  watch(listener: (value: T) => void): void {
    this.listeners.push(listener);
    listener(this.current);
  }
}
