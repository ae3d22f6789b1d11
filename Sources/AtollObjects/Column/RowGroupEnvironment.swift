package import AtollStorage

/// What row groups are read with: one for all row groups of a snapshot or transaction, which keeps
/// it.
package final class RowGroupEnvironment: @unchecked Sendable {
  // Sendable: both properties are immutable; a store that writes stays with its transaction.
  /// Nil: what is decoded is not kept.
  let cache: DecodedCache?
  /// Where values too large for a leaf are read from.
  let store: (any ExternalStore)?

  package init(cache: DecodedCache? = nil, store: (any ExternalStore)? = nil) {
    self.cache = cache
    self.store = store
  }
}
