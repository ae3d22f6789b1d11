/// One subscription on the server: the query for the objects in view of its clients.
package struct ViewQuery: Hashable, Comparable, Sendable {
  package var className: String
  /// A predicate of the query language.
  package var text: String

  package init(className: String, text: String) {
    self.className = className
    self.text = text
  }

  /// The members of a set as views, each once.
  static func queries(_ members: [SetMember]) -> [ViewQuery] {
    Set(members.map { ViewQuery(className: $0.className, text: $0.query) }).sorted()
  }

  package static func < (a: ViewQuery, b: ViewQuery) -> Bool {
    (a.className, a.text) < (b.className, b.text)
  }
}
