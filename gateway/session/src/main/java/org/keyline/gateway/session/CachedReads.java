package org.keyline.gateway.session;

import com.github.benmanes.caffeine.cache.Ticker;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.session.state.TransactionChains;
import org.keyline.planner.PlanCache;

/**
 * The objects with which sessions answer reads from cached lines.
 *
 * @param chains decides whether lines may answer the reads of a transaction that has a snapshot
 * @param ticker measures the age of lines and of remembered replies
 */
public record CachedReads(PointReads reads, PlanCache plans, TransactionChains chains, Ticker ticker) {}
