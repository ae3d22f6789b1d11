public import Foundation

/// A question whose answers a device is to hold: a query on one class, with or without a name.
///
///     QuerySubscription<Task>(name: "long-running") { $0.completed == true && $0.minutes > 120 }
public struct QuerySubscription<T: Object> {
  let name: String?
  let question: SubscriptionQuestion

  /// All objects of the class.
  public init(name: String? = nil) {
    self.name = name
    question = .everything
  }

  /// The objects that pass a test in Swift.
  public init(name: String? = nil, query: (Query<T>) -> Query<Bool>) {
    self.name = name
    question = SubscriptionQuestion(query)
  }

  /// The objects that pass a test in RQL.
  ///
  /// `text` is parsed when the subscription is added; what is wrong with it makes the update fail.
  /// `arguments` is what `$0`, `$1`… or `%@` stand for.
  public init(name: String? = nil, where text: String, _ arguments: Any...) {
    self.name = name
    question = SubscriptionQuestion(text, arguments)
  }

  /// The objects that a predicate is true for.
  public init(name: String? = nil, where predicate: NSPredicate) {
    self.name = name
    question = SubscriptionQuestion(predicate)
  }
}
