package org.keyline.stores;

/** The signal of a store whose changes Keyline does not follow. Immutable. */
public record NoSignal(String because) implements ChangeSignal {
    @Override
    public void start(ChangeListener listener) {
        listener.state(State.OFF, because);
    }

    @Override
    public boolean isEarly() {
        return false;
    }

    @Override
    public void serverChanged() {}

    @Override
    public long events() {
        return 0;
    }

    @Override
    public void close() {}
}
