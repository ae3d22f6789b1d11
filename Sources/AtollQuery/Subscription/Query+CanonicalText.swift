public import AtollObjects

extension QuerySyntax {
  /// The one text of all spellings of a query, with its arguments in it.
  ///
  /// Operators have one spelling, constants one form, parentheses stand only where they are needed,
  /// and an argument is a literal of its type: `parse` of the text gives the tree of the query, and
  /// the canonical text of the text is the text itself. Texts are compared by their bytes, as `==`
  /// of strings takes a composed letter for its parts.
  ///
  /// `address`: the class and the primary key of the object that a link leads to.
  ///
  /// - Throws: `QueryError` for a text that is no query, an argument that is missing or does not
  ///   fit its place, and one that no text can hold: a map, or an object without primary key.
  package static func canonicalText(
    of text: String, arguments: [Value] = [],
    address: (ObjectLink) -> (className: String, primaryKey: Value)? = { _ in nil }
  ) throws(QueryError) -> String {
    try request(text).canonicalText(SourceText(text), arguments, address)
  }

  /// The canonical text of a query of which some arguments have no value.
  ///
  /// A comparison that names such an argument is unknown, in the three-valued logic of SQL; the text
  /// matches where the query is true, and neither where it is false nor where it is unknown.
  ///
  /// - Returns: Nil when it can be true of no object.
  /// - Throws: As `canonicalText(of:arguments:address:)`.
  package static func canonicalText(of text: String, knowing arguments: [Value?])
    throws(QueryError) -> String?
  {
    var request = try request(text)
    if arguments.contains(where: { $0 == nil }) {
      request.predicate = request.predicate.certain { arguments[$0]?.queryConstant { _ in nil } }
      if request.predicate == .false { return nil }
    }
    return try request.canonicalText(
      SourceText(text), arguments.map { $0 ?? .null }, { _ in nil })
  }
}

extension QuerySyntax.Request {
  /// The text of the request with its arguments in it; see `QuerySyntax.canonicalText`.
  ///
  /// `source`: the text that errors show.
  fileprivate func canonicalText(
    _ source: SourceText, _ arguments: [Value],
    _ address: (ObjectLink) -> (className: String, primaryKey: Value)?
  ) throws(QueryError) -> String {
    do throws(QuerySyntax.ArgumentProblem) {
      return try replacingArguments { index, range throws(QuerySyntax.ArgumentProblem) in
        guard arguments.indices.contains(index) else {
          throw QuerySyntax.ArgumentProblem("there is no argument $\(index)", at: range)
        }
        guard let constant = arguments[index].queryConstant(address: address) else {
          throw QuerySyntax.ArgumentProblem(
            "argument $\(index), a \(arguments[index].typeName), cannot be written as text",
            at: range)
        }
        return constant
      }.description
    } catch { throw QueryError(.argument, error.message, in: source, at: error.range) }
  }
}

extension Query {
  /// The one text of all spellings of the query, with its arguments in it.
  ///
  /// Operators have one spelling, constants one form, and parentheses stand only where they are
  /// needed; the text means the same as the query.
  ///
  /// - Parameters:
  ///   - source: Where the primary keys of objects are read that the arguments are links to.
  ///   - unheld: Gives the class and the primary key of an object that the source does not hold,
  ///     for a link to nothing that stands for it.
  /// - Returns: The text, of which this is the canonical text again.
  /// - Throws: `QueryError` for an argument that no text can hold: a map, or an object without a
  ///   primary key.
  public func canonicalText(
    in source: (any ObjectSource)? = nil,
    unheld: (ObjectLink) -> (className: String, primaryKey: Value)? = { _ in nil }
  ) throws(QueryError) -> String {
    let request: QuerySyntax.Request
    if let tree {
      request = tree
    } else {
      request = try QuerySyntax.request(bound.source.wholeText)
    }
    return try request.canonicalText(bound.source, arguments) { link in
      if link.isToNothing { return unheld(link) }
      guard let schema = source?.schema.table(id: link.table), let primaryKey = schema.primaryKey,
        let table = try? source?.table(schema.name),
        let object = try? table.object(ObjectKey(rawValue: link.key)),
        let value = try? object.value(primaryKey)
      else { return nil }
      return (schema.name, value)
    }
  }
}

extension Query: CustomStringConvertible {
  /// The canonical text; the text as it was given where no text can hold the arguments.
  public var description: String { (try? canonicalText()) ?? bound.source.wholeText }
}
