/// Selections that are lent as scratch space, and used again.
///
/// Used by one thread.
final class SelectionPool {
  private var spare: [Selection] = []

  /// Lends a selection with unspecified contents; give it back.
  @inline(__always)
  func take() -> Selection { spare.popLast() ?? Selection() }

  @inline(__always)
  func give(_ selection: Selection) { spare.append(selection) }
}
