internal import Atoll

/// A projection of any class, which shows the number by which the model knows the object.
final class ApiView<T: Object & ApiObject>: Projection<T> {
  @Projected(\T.number) var number: Int
}

/// A projection that shows properties of an object and what lies behind its links.
protocol ApiShowing: ProjectionObservable {
  /// The paths of its properties, with points between the names.
  static var paths: [String: String] { get }

  /// What the properties show; elements of a set in any order.
  var shown: [String: ApiValue] { get }

  /// Tells of the projected collections: of the elements and of what has changed since the last time.
  func observeCollections(
    _ block: @escaping (_ name: String, ApiViewNotice) -> Void
  ) -> [NotificationToken]
}

/// What an observer of a projected collection is told.
struct ApiViewNotice {
  let elements: [ApiValue]
  var isInitial = false
  var deletions: [Int] = []
  var insertions: [Int] = []
  var modifications: [Int] = []

  init?<Value: ApiElement>(_ change: RealmCollectionChange<ProjectedCollection<Value>>) {
    switch change {
    case .initial(let all):
      (elements, isInitial) = (all.map(\.plain), true)
    case .update(let all, let deletions, let insertions, let modifications):
      elements = all.map(\.plain)
      (self.deletions, self.insertions) = (deletions, insertions)
      self.modifications = modifications
    case .error: return nil
    }
  }
}

extension ProjectedCollection where Element: ApiElement {
  fileprivate var plain: ApiValue { .list(map(\.plain)) }

  fileprivate func tell(_ block: @escaping (ApiViewNotice) -> Void) -> NotificationToken {
    observe { change in
      if let notice = ApiViewNotice(change) { block(notice) }
    }
  }
}

final class ApiNodeView: Projection<ApiNode>, ApiShowing {
  @Projected(\ApiNode.text) var words: String
  @Projected(\ApiNode.next) var follower: ApiNode?
  @Projected(\ApiNode.next?.next?.text) var later: String?
  @Projected(\ApiNode.keyed?.next?.text) var keyedText: String?
  @Projected(\ApiNode.list.projectTo.text) var texts: ProjectedCollection<String>
  @Projected(\ApiNode.members.projectTo.number) var members: ProjectedCollection<Int>

  static let paths = [
    "words": "text", "follower": "next", "later": "next.next.text", "keyedText": "keyed.next.text",
    "texts": "list.text", "members": "members.number",
  ]

  var shown: [String: ApiValue] {
    [
      "words": words.plain, "follower": follower.plain, "later": later.plain,
      "keyedText": keyedText.plain, "texts": texts.plain, "members": members.plain,
    ]
  }

  func observeCollections(
    _ block: @escaping (String, ApiViewNotice) -> Void
  ) -> [NotificationToken] {
    [texts.tell { block("texts", $0) }, members.tell { block("members", $0) }]
  }
}

final class ApiOwnerView: Projection<ApiOwner>, ApiShowing {
  @Projected(\ApiOwner.text) var words: String
  @Projected(\ApiOwner.part?.label) var label: String?
  @Projected(\ApiOwner.part?.detail?.label) var detail: String?
  @Projected(\ApiOwner.parts.projectTo.label) var labels: ProjectedCollection<String>

  static let paths = [
    "words": "text", "label": "part.label", "detail": "part.detail.label", "labels": "parts.label",
  ]

  var shown: [String: ApiValue] {
    [
      "words": words.plain, "label": label.plain, "detail": detail.plain, "labels": labels.plain,
    ]
  }

  func observeCollections(
    _ block: @escaping (String, ApiViewNotice) -> Void
  ) -> [NotificationToken] {
    [labels.tell { block("labels", $0) }]
  }
}

final class ApiSmallView: Projection<ApiSmallC>, ApiShowing {
  @Projected(\ApiSmallC.amount) var amount: Int
  @Projected(\ApiSmallC.other?.other?.amount) var far: Int?

  static let paths = ["amount": "amount", "far": "other.other.amount"]

  var shown: [String: ApiValue] { ["amount": amount.plain, "far": far.plain] }

  func observeCollections(
    _ block: @escaping (String, ApiViewNotice) -> Void
  ) -> [NotificationToken] { [] }
}
