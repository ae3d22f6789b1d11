internal import AtollObjects
internal import AtollQuery
internal import Foundation

/// A query as an application wrote it, before it has a text that can be compared.
struct SubscriptionQuestion {
  private enum Form {
    case condition(QuerySyntax.Request, arguments: [_StoredValue])
    case source(PredicateSource)
  }

  private let form: Form

  /// All objects of the class.
  static var everything: SubscriptionQuestion {
    SubscriptionQuestion(form: .condition(QuerySyntax.Request(.true), arguments: []))
  }

  private init(form: Form) { self.form = form }

  /// A condition in Swift.
  init<T: Object>(_ isIncluded: (Query<T>) -> Query<Bool>) {
    let tree = isIncluded(Query<T>()).tree
    form = .condition(QuerySyntax.Request(tree.predicate), arguments: tree.arguments.values)
  }

  /// The query of some results.
  init(_ list: _ResultList) {
    guard case .objects = list.origin else {
      Misuse.trap("only results of realm.objects() can be subscribed to, not those of a collection")
    }
    form = .condition(
      QuerySyntax.Request(list.predicate, descriptors: list.descriptors), arguments: list.arguments)
  }

  /// A condition as text.
  init(_ text: String, _ arguments: [Any]) {
    form = .source(.text(text, arguments))
  }

  /// A condition as text, or several that were combined.
  init(_ predicate: NSPredicate) { form = .source(.predicate(predicate)) }

  /// The canonical text: two questions are the same subscription if their texts are.
  ///
  /// - Throws: `QueryError` with the place in the text; `Realm.Error` for an argument of a type
  ///   that no property has.
  func text(on type: ObjectBase.Type, in context: _RealmContext) throws -> String {
    let descriptor = ClassDescriptor.of(type)
    let realmSource = context.source(of: descriptor)
    let query: AtollQuery.Query
    switch form {
    case .condition(let request, let arguments):
      query = try AtollQuery.Query(
        request, on: descriptor.name, in: realmSource.schema, arguments: arguments)
    case .source(let source):
      let (request, arguments) = try source.request(in: context)
      query = try AtollQuery.Query(
        QueryRewriting(type: descriptor, argumentOffset: 0, arguments: arguments).rewritten(
          request),
        on: descriptor.name, in: realmSource.schema, arguments: arguments)
    }
    return try query.canonicalText(in: realmSource) { link in
      context.file.unheldObjects.address(link).map { ($0.className.text, $0.primaryKey) }
    }
  }

  /// The same for a subscription that is added: the file has the class from now on.
  func text(adding type: ObjectBase.Type, in context: _RealmContext) throws -> String {
    context.require(type)
    return try text(on: type, in: context)
  }
}
