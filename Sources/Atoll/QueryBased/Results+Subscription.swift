internal import AtollObjects
internal import AtollSync

/// When `subscribe` waits for the data of its query.
public enum WaitForSyncMode: Sendable {
  /// Until the subscription was complete once: when it is new, and after a restart if it was not
  /// yet.
  case onCreation
  /// Each time.
  case always
  case never

  /// The name that other SDKs give to `onCreation`.
  public static let firstTime = WaitForSyncMode.onCreation
}

/// The name that sources of Realm use in some places.
public typealias RLMWaitForSyncMode = WaitForSyncMode

extension Results where Element: Object {
  /// Adds the query of these results to the subscriptions and waits for its data as asked.
  ///
  /// Each call is an update of the set of its own; use `subscriptions.update` for several. A
  /// subscription that has the name gets this query. After `timeout` seconds the wait gives up; the
  /// subscription stays.
  ///
  /// - Returns: These results, which follow what arrives.
  /// - Throws: `Realm.Error` with the code `subscriptionFailed`; an `NSError` with `ETIMEDOUT`.
  @discardableResult
  public func subscribe(
    name: String? = nil, waitForSync: WaitForSyncMode = .onCreation, timeout: Double? = nil,
    _isolation: isolated (any Actor)? = #isolation
  ) async throws -> Results<Element> {
    let subscriptions = SyncSubscriptionSet(list.context)
    guard list.context.confinement.isActor else {
      Misuse.trap(
        "subscribe was called on a realm that belongs to no actor; open it with "
          + "'try await Realm(configuration:actor:)'")
    }
    let question = SubscriptionQuestion(self)
    let text = try question.text(adding: Element.self, in: list.context)
    let known = subscriptions.member(named: name, Element.className(), query: text)
    var version = subscriptions.version
    if known == nil || waitForSync == .always {
      version = try subscriptions.commit {
        list.context.subscriptionUpdate("subscribe").change { editor in
          try editor.add(name: name, Element.className(), query: text, isUpdating: true)
        }
      }
    }
    // The subscription stays whatever the wait comes to, and `unsubscribe` removes it.
    list.subscriptionName = .some(name)
    switch waitForSync {
    case .never: break
    case .onCreation where known?.wasComplete == true: break
    case .onCreation, .always: try await subscriptions.wait(for: version, timeout: timeout)
    }
    return self
  }

  /// Removes the subscription that `subscribe` has made of these results; without one, the
  /// subscription without a name to the same query.
  ///
  /// Returns at once; the objects leave the file when the server has answered, unless another
  /// subscription asks for them.
  public func unsubscribe() {
    let subscriptions = SyncSubscriptionSet(list.context)
    let name: String? = list.subscriptionName ?? nil
    subscriptions.update {
      let update = list.context.subscriptionUpdate("unsubscribe")
      if let name {
        update.change { $0.remove(named: name) }
      } else {
        update.change(
          with: { try SubscriptionQuestion(self).text(on: Element.self, in: list.context) }
        ) { editor, text in editor.removeUnnamed(Element.className(), query: text) }
      }
    }
    list.subscriptionName = nil
  }
}

extension SubscriptionQuestion {
  /// The query of some results.
  init<T: Object>(_ results: Results<T>) { self.init(results.list) }
}
