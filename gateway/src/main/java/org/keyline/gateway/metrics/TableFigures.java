package org.keyline.gateway.metrics;

import org.keyline.planner.TableName;
import org.keyline.rowcache.TableStats;

/** The counters of one table at one moment. */
public record TableFigures(TableName name, TableStats.Snapshot figures) {}
