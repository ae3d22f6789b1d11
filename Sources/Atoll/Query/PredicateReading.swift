internal import AtollObjects
internal import AtollQuery
internal import Foundation

/// A condition as an application gives it: a text with arguments, or a predicate.
///
/// A text never becomes a predicate: where Foundation has a parser of its own, that knows less.
enum PredicateSource {
  case text(String, [Any])
  case predicate(NSPredicate)

  /// Those of one text each that it consists of.
  var parts: [PredicateSource] {
    switch self {
    case .text: [self]
    case .predicate(let predicate): predicate.parts.map { .predicate($0) }
    }
  }

  /// The text, for people.
  var shown: String {
    switch self {
    case .text(let text, _): text
    case .predicate(let predicate): predicate.shown
    }
  }

  /// The query that it spells, and its arguments; see `NSPredicate.request(in:)`.
  func request(in context: _RealmContext) throws -> (QuerySyntax.Request, [_StoredValue]) {
    switch self {
    case .text(let text, let arguments):
      try QueryArguments.request(text, arguments, in: context)
    case .predicate(let predicate): try predicate.request(in: context)
    }
  }
}

extension NSPredicate {
  /// The predicates of one text each that this one consists of.
  var parts: [NSPredicate] {
    guard let compound = self as? NSCompoundPredicate else { return [self] }
    return compound.predicates.flatMap(\.parts)
  }

  /// The texts of the predicate, for people.
  var shown: String { parts.map(\.text.text).joined(separator: "', '") }

  /// The query that the predicate spells, and its arguments as the realm that is asked holds them.
  ///
  /// - Throws: `QueryError` with the place in the text; `Realm.Error` for an argument of a type
  ///   that no property has, and for an order or a limit in a part of a compound predicate.
  func request(in context: _RealmContext) throws -> (QuerySyntax.Request, [_StoredValue]) {
    guard self is NSCompoundPredicate else {
      let (text, arguments) = text
      return try QueryArguments.request(text, arguments, in: context)
    }
    var arguments: [_StoredValue] = []
    return (QuerySyntax.Request(try syntax(&arguments, in: context)), arguments)
  }

  /// The predicate with arguments that are numbered from those before it on.
  private func syntax(
    _ arguments: inout [_StoredValue], in context: _RealmContext
  ) throws -> QuerySyntax.Predicate {
    guard let compound = self as? NSCompoundPredicate else {
      let (request, own) = try request(in: context)
      guard request.descriptors.isEmpty, request.grouping == nil else {
        throw Realm.Error(
          .invalidInput,
          "'\(text.text)' is a part of a predicate, and only a whole one can be sorted or cut")
      }
      defer { arguments += own }
      return QueryRewriting.shifted(request.predicate, by: arguments.count)
    }
    let terms = try compound.predicates.map { try $0.syntax(&arguments, in: context) }
    return switch compound.compoundPredicateType {
    case .and: .all(of: terms)
    case .or: terms.isEmpty ? .false : .any(of: terms)
    default: .negation(of: terms.first ?? .false)
    }
  }
}

extension NSCompoundPredicate {
  /// The predicates that it combines, in the type that they have on each platform.
  fileprivate var predicates: [NSPredicate] {
    (subpredicates as [Any]).compactMap { $0 as? NSPredicate }
  }
}
