package kaisatsu;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * Reads a list page after page. A page is asked for when the one before it is used up, so that leaving early costs
 * nothing. Every iterator starts from the beginning.
 *
 * @param <T> what the list is of
 */
abstract class Pages<T> implements Iterable<T> {
    /** One page. */
    static final class Page<T> {
        final List<T> values;
        /** What to ask for the next page with; null after the last one. */
        final Object next;

        Page(List<T> values, Object next) {
            this.values = values;
            this.next = next;
        }
    }

    /** Asks for a page; {@code from} is null for the first. */
    abstract Page<T> page(Object from);

    /** The parameters with the place of a page; a copy, because every iterator has a place of its own. */
    static Map<String, Object> at(Map<String, Object> parameters, String name, Object from) {
        Map<String, Object> copy = new LinkedHashMap<>(parameters);
        if (from != null) {
            copy.put(name, from);
        }
        return copy;
    }

    /** For lists that are counted: the offset that follows, from 1. */
    static Integer after(int offset, int size, int max) {
        int next = offset + size;
        return size == 0 || next > max ? null : (Integer) next;
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<T>() {
            private Iterator<T> here = Collections.<T>emptyList().iterator();
            private Object next;
            private boolean begun;

            @Override
            public boolean hasNext() {
                while (!here.hasNext() && (!begun || next != null)) {
                    Page<T> page = page(next);
                    begun = true;
                    here = page.values.iterator();
                    next = page.next;
                }
                return here.hasNext();
            }

            @Override
            public T next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return here.next();
            }

            @Override
            public void remove() {
                throw new UnsupportedOperationException();
            }
        };
    }
}
