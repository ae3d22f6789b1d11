#if Sync
#if canImport(Glibc)
internal import CMalloc
#endif

/// What the allocator of memory keeps for itself.
package enum AllocatorLimit {
  /// Gives large pieces back to the system as soon as they are free.
  ///
  /// The allocator of glibc keeps ever larger ones for the next request once it has seen one freed,
  /// and so a server would keep for good what a flood of large messages took for a moment.
  package static func set() {
    #if canImport(Glibc)
    _ = mallopt(M_MMAP_THRESHOLD, largeByteCount)
    _ = mallopt(M_TRIM_THRESHOLD, 8 * largeByteCount)
    #endif
  }

  private static let largeByteCount: Int32 = 1 << 20
}
#endif
