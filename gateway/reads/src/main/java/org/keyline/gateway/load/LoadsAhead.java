package org.keyline.gateway.load;

import io.netty.util.collection.IntObjectHashMap;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.keyline.gateway.table.CachedTable;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.Loader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads lines that had a hit in the last part of their ttl, unless this would delay loads for
 * reads. Lines of single rows are collected for some milliseconds, because a round trip for many
 * lines costs little more than a round trip for one line. Confined to its event loop.
 */
public final class LoadsAhead {
    private static final Logger LOG = LoggerFactory.getLogger(LoadsAhead.class);

    /** A reload that needs its own round trip starts at one in this many hits. A power of two. */
    private static final int HITS_PER_TRIP = 8;
    /** Time for which lines are collected. It is short compared with the last part of a ttl. */
    private static final long GATHERING_MILLIS = 10;
    /** Maximum number of lines in a round trip. */
    private static final int MOST = 64;

    private final LoadPool pool;
    private final BooleanSupplier isOn;
    private final Loaders loaders;

    /**
     * The collected lines by hash. If two lines have the same hash, the second line waits for
     * another hit.
     */
    private final IntObjectHashMap<Wanted> gathered = new IntObjectHashMap<>();

    private int hits;

    /** @param probe the probe of the line, with its own copy of the key */
    private record Wanted(CachedTable table, boolean binary, LineProbe probe) {}

    public interface Loaders {
        Loader of(CachedTable table, boolean binary);
    }

    /** @param isOn returns whether lines are reloaded; called for each hit */
    public LoadsAhead(LoadPool pool, BooleanSupplier isOn, Loaders loaders) {
        this.pool = pool;
        this.isOn = isOn;
        this.loaders = loaders;
    }

    /**
     * Records a hit in the last part of the line's ttl.
     *
     * @param aimed the probe of the line; not retained
     */
    public void hit(CachedTable table, boolean binary, LineProbe aimed) {
        if (!isOn.getAsBoolean() || !table.admission().loadsAll()) {
            return;
        }
        if (pool.loadsTogether(table)) {
            gather(table, binary, aimed);
        } else if ((++hits & (HITS_PER_TRIP - 1)) == 0 && pool.hasSpareSession()) {
            load(table, binary, aimed);
        }
    }

    private void gather(CachedTable table, boolean binary, LineProbe aimed) {
        int hash = aimed.hash();
        if (gathered.containsKey(hash) || gathered.size() == MOST) {
            return;
        }
        byte[] key = Arrays.copyOfRange(aimed.key(), aimed.from(), aimed.to());
        LineTable lines = table.lines();
        LineProbe probe = new LineProbe(lines)
                .aim(lines, binary ? CachedTable.BINARY : CachedTable.TEXT, key, 0, key.length, key.length)
                .oneRow(aimed.isOneRow());
        gathered.put(hash, new Wanted(table, binary, probe));
        if (gathered.size() == 1) {
            var unused = pool.loop().schedule(this::loadGathered, GATHERING_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Starts all collected loads in one turn of the loop, so that they share a round trip. */
    private void loadGathered() {
        List<Wanted> wanted = List.copyOf(gathered.values());
        gathered.clear();
        try {
            for (Wanted line : wanted) {
                LineTable lines = line.table().lines();
                // Since the hit, another event loop may have reloaded the line, or a write may have
                // dropped it.
                Line present = lines.find(line.probe(), pool.now());
                if (present != null && lines.isAgeing(present, pool.now()) && pool.hasSpareSession()) {
                    load(line.table(), line.binary(), line.probe());
                }
            }
        } catch (RuntimeException | Error bug) {
            LOG.error(
                    "Lines could not be reloaded before they expire, because of an error in Keyline. Their next reads load them. Please report it.",
                    bug);
        }
    }

    private void load(CachedTable table, boolean binary, LineProbe aimed) {
        table.lines().refresh(aimed, loaders.of(table, binary));
    }
}
