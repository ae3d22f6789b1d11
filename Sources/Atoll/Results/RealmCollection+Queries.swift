internal import AtollQuery
public import Foundation

extension RealmCollection where Element: RealmCollectionValue {
  /// The elements that a predicate in text form is true for.
  ///
  ///     realm.objects(Dog.self).filter("age > $0 AND owner.name BEGINSWITH 'A'", 3)
  ///
  /// The text is in the query language; the spellings of NSPredicate are part of it. A text that
  /// cannot be understood ends the process: `query` throws instead.
  public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
    queried("the predicate '\(predicateFormat)' cannot be used") {
      try queried(predicateFormat, args)
    }
  }

  /// The elements that a predicate is true for; one that cannot be understood ends the process.
  public func filter(_ predicate: NSPredicate) -> Results<Element> {
    queried("the predicate '\(predicate.shown)' cannot be used") { try queried(predicate) }
  }

  /// What a query finds; nothing when it cannot be understood by a failure of the file.
  private func queried(
    _ doing: @autoclosure () -> String, _ find: () throws -> Results<Element>
  ) -> Results<Element> {
    let list = requiredList("a query")
    return list.context.reading(doing(), or: Results(list.filtered(.false, arguments: [])), find)
  }

  /// The elements that a query in text form finds, in its order.
  ///
  /// - Throws: `QueryError` with the place in the text; `Realm.Error` for an argument of a type
  ///   that no property has.
  public func query(_ rql: String, _ args: Any...) throws -> Results<Element> {
    try queried(rql, args)
  }

  /// The elements that a predicate is true for.
  ///
  /// - Throws: As `query(_:_:)`.
  public func query(_ predicate: NSPredicate) throws -> Results<Element> { try queried(predicate) }

  /// The elements that a condition is true for.
  ///
  ///     realm.objects(Dog.self).where { $0.age > 3 && $0.owner.name.starts(with: "A") }
  ///
  /// In a collection of values `$0` is the value: `dog.weights.where { $0 > 30 }`.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    let list = requiredList("a query")
    if list.descriptor == nil { return whereValue(list, isIncluded) }
    let tree = isIncluded(Query<Element>(QueryTree(asking: list.context))).tree
    let filtered = list.filtered(
      QueryRewriting.shifted(tree.predicate, by: list.argumentOffset),
      arguments: tree.arguments.values)
    list.context.reading("the condition '\(tree.predicate)' cannot be used", or: ()) {
      try filtered.check()
    }
    return Results(filtered)
  }

  /// The values that a condition is true for.
  private func whereValue(
    _ list: _ResultList, _ isIncluded: (Query<Element>) -> Query<Bool>
  ) -> Results<Element> {
    let tree = isIncluded(
      Query<Element>(QueryTree(asking: list.context, value: ValueFilter.name))
    ).tree
    return queried("the condition '\(tree.predicate)' cannot be used") {
      Results(
        list.appending(
          .filter(
            try ValueFilter(
              QuerySyntax.Request(tree.predicate), nil, tree.arguments.values,
              on: list.typeOfValues))))
    }
  }

  func queried(_ text: String, _ args: [Any]) throws -> Results<Element> {
    try queried(.text(text, args))
  }

  func queried(_ predicate: NSPredicate) throws -> Results<Element> {
    try queried(.predicate(predicate))
  }

  private func queried(_ source: PredicateSource) throws -> Results<Element> {
    let list = requiredList("a query")
    guard let descriptor = list.descriptor else {
      let (request, arguments) = try source.request(in: list.context)
      return Results(
        list.appending(
          .filter(try ValueFilter(request, source.shown, arguments, on: list.typeOfValues))))
    }
    // By themselves first: errors name the place in these texts.
    for part in source.parts {
      let (request, arguments) = try part.request(in: list.context)
      let rewriting = QueryRewriting(type: descriptor, argumentOffset: 0, arguments: arguments)
      try list.check(rewriting.rewritten(request), part.shown, arguments)
    }
    let (request, arguments) = try source.request(in: list.context)
    let rewriting = QueryRewriting(
      type: descriptor, argumentOffset: list.argumentOffset, arguments: arguments)
    let rewritten = rewriting.rewritten(request)
    let filtered = list.filtered(
      rewritten.predicate, arguments: arguments, then: rewritten.descriptors)
    if filtered.arguments.count > arguments.count { try filtered.check() }
    return Results(filtered)
  }

  /// The place of the first element that a predicate is true for.
  public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
    index("the predicate '\(predicateFormat)'") { try $0.queried(predicateFormat, args) }
  }

  /// The place of the first element that a predicate is true for.
  public func index(matching predicate: NSPredicate) -> Int? {
    index("the predicate '\(predicate.shown)'") { try $0.queried(predicate) }
  }

  /// The place of the first element that a condition is true for.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    index("the condition") { $0.where(isIncluded) }
  }

  private func index(
    _ what: @autoclosure () -> String, _ find: (Results<Element>) throws -> Results<Element>
  ) -> Int? {
    if let list = _resultList {
      return list.context.reading("\(what()) cannot be used", or: nil) {
        try find(Results(list)).first.flatMap { index(of: $0) }
      }
    }
    return Misuse.unwrapped("\(what()) cannot be used") {
      try _RealmContext.firstMatch(among: map { $0 as? ObjectBase }) { list throws in
        try find(Results(list)).list
      }
    }
  }

  // MARK: Order

  /// The elements ordered by a property; one behind links to one object is named with points.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// The elements ordered by several properties, the first of which counts most.
  public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
  where S.Element == SortDescriptor {
    let list = requiredList("sorting")
    let keys = Array(sortDescriptors)
    guard let descriptor = list.descriptor else {
      guard keys.count == 1, keys[0].keyPath == "self" else {
        Misuse.trap("the elements of this collection are values, which have no properties")
      }
      return Results(list.appending(.sort(isAscending: keys[0].ascending)))
    }
    guard !keys.isEmpty else { return Results(list) }
    let sorted = list.appending(
      .sort(
        keys.map {
          QuerySyntax.SortKey(
            PropertyNames.path($0.keyPath, on: descriptor), isAscending: $0.ascending)
        }))
    list.context.reading("objects cannot be sorted by this", or: ()) { try sorted.check() }
    return Results(sorted)
  }

  /// The first element of each combination of the values of these properties.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == String {
    let list = requiredList("distinct")
    guard let descriptor = list.descriptor else {
      Misuse.trap("the elements of this collection are values, which have no properties")
    }
    let paths = keyPaths.map { PropertyNames.path($0, on: descriptor) }
    guard !paths.isEmpty else { return Results(list) }
    let distinct = list.appending(.distinct(paths))
    list.context.reading("objects cannot be told apart by this", or: ()) { try distinct.check() }
    return Results(distinct)
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The elements ordered by a property, which may lie behind links to one object.
  public func sorted<T>(by keyPath: KeyPath<Element, T>, ascending: Bool = true) -> Results<Element>
  {
    sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
  }

  /// The first element of each combination of the values of these properties.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == PartialKeyPath<Element> {
    distinct(by: keyPaths.map { _name(for: $0) })
  }
}

extension RealmCollection where Element: Comparable {
  /// The values in their order.
  public func sorted(ascending: Bool = true) -> Results<Element> {
    Results(requiredList("sorting").appending(.sort(isAscending: ascending)))
  }

  /// Each value once.
  public func distinct() -> Results<Element> {
    Results(requiredList("distinct").appending(.distinct))
  }
}

extension RealmCollection {
  /// The values in their order; null comes before all others.
  public func sorted<Wrapped: Comparable>(ascending: Bool = true) -> Results<Element>
  where Element == Wrapped? {
    Results(requiredList("sorting").appending(.sort(isAscending: ascending)))
  }

  /// Each value once; null is one too.
  public func distinct<Wrapped: Comparable>() -> Results<Element> where Element == Wrapped? {
    Results(requiredList("distinct").appending(.distinct))
  }
}
