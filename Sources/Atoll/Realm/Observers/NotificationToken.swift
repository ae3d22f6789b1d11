internal import Synchronization

/// Keeps an observation going; it ends with `invalidate()` or with the last reference to the token.
///
/// The token keeps the realm alive. Once it has ended nothing is delivered, not even what was on
/// its way.
public final class NotificationToken: Sendable {
  let observation: Observation

  init(_ observation: Observation) { self.observation = observation }

  deinit { observation.end() }

  /// Ends the observation.
  ///
  /// - Returns: Whether it was still going on.
  @discardableResult
  public func invalidate() -> Bool { observation.end() }
}

/// Whether an observer is still to be called, shared by its token and the realm's notifier.
///
/// Tokens end anywhere, while everything else about an observation happens where the realm belongs.
final class Observation: Sendable {
  private enum State {
    case starting
    case active(RealmNotifier, Int)
    case ended
  }

  // SAFETY: the notifier's only member that is used from elsewhere is its list of observers, which
  // has a lock.
  private struct Content: @unchecked Sendable {
    var state = State.starting
  }

  private let content = Mutex(Content())

  var isActive: Bool {
    content.withLock { content in
      if case .ended = content.state { false } else { true }
    }
  }

  /// Notes where the observer is, to be taken away at the end; false when that has come already.
  func begin(in notifier: RealmNotifier, number: Int) -> Bool {
    let place = Content(state: .active(notifier, number))
    return content.withLock { content in
      if case .ended = content.state { return false }
      content = place
      return true
    }
  }

  @discardableResult
  func end() -> Bool {
    let last = content.withLock { content in
      defer { content = Content(state: .ended) }
      return content
    }
    switch last.state {
    case .ended: return false
    case .starting: return true
    case .active(let notifier, let number):
      notifier.remove(number)
      return true
    }
  }
}
