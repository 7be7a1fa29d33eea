package kaisatsu;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The arguments of an operation. They are set one after the other, and what is not set is not sent.
 *
 * @param <P> the class itself, for calls in a row
 */
public abstract class Parameters<P extends Parameters<P>> {
    private final Map<String, Object> values = new LinkedHashMap<>();

    Parameters() {}

    @SuppressWarnings("unchecked")
    final P set(String name, Object value) {
        if (value == null) {
            values.remove(name);
        } else {
            values.put(name, value);
        }
        return (P) this;
    }

    final void need(String name, Object value) {
        if (value == null) {
            throw new NullPointerException(name + " is missing");
        }
        values.put(name, value);
    }

    final Map<String, Object> values() {
        return new LinkedHashMap<>(values);
    }
}
