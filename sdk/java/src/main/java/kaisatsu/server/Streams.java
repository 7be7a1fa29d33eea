package kaisatsu.server;

import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Lists that are read page after page, as streams. */
public final class Streams {
    private Streams() {}

    /**
     * A stream of a list.
     *
     * @param pages what a method such as {@link kaisatsu.Maps#eachStation} returned
     * @param <T>   what the list is of
     * @return a sequential stream in the order of the list, which asks for a page when it is needed
     */
    public static <T> Stream<T> of(Iterable<T> pages) {
        int order = Spliterator.ORDERED | Spliterator.NONNULL;
        return StreamSupport.stream(() -> Spliterators.spliteratorUnknownSize(pages.iterator(), order), order, false);
    }
}
