internal import AtollCapture
internal import AtollObjects
internal import AtollQuery

/// The requirements for the subscriptions of a device.
enum SetRules {
  /// Why a server cannot answer a set; nil when it can.
  ///
  /// `mayLackClasses`: whether unknown classes are ignored for now. `known`: what was found out of the
  /// queries before.
  static func refusal(
    _ members: [SetMember], in schema: Schema, _ rights: UserRights, limit: Int,
    mayLackClasses: Bool = false, known: SetPreparation? = nil
  ) -> Refusal? {
    guard members.count <= limit else {
      return Refusal(.tooLarge, text: "a device may have at most \(limit) subscriptions here")
    }
    guard SetLimits.allow(members) else {
      return Refusal(.tooLarge, text: SubscriptionError.tooLarge.description)
    }
    return refusal(
      ViewQuery.queries(members), in: schema, rights, mayLackClasses: mayLackClasses, known: known)
  }

  /// As for members; `queries` are ascending, each once.
  static func refusal(
    _ queries: [ViewQuery], in schema: Schema, _ rights: UserRights, mayLackClasses: Bool = false,
    known: SetPreparation? = nil
  ) -> Refusal? {
    let known = known.flatMap { $0.isOf(schema, rights) ? $0 : nil }
    var refused: [RefusedMember] = []
    for (index, query) in queries.enumerated() {
      if let problem = problemOfClass(query, in: schema, mayLackClass: mayLackClasses)
        ?? problem(query, in: schema, rights, known)
      {
        refused.append(RefusedMember(index: UInt32(index), text: problem))
      }
    }
    guard let first = refused.first else { return nil }
    let others = refused.count - 1
    let text =
      switch others {
      case 0: first.text
      case 1: "\(first.text); and one more"
      default: "\(first.text); and \(others) more"
      }
    return Refusal(.invalidQuery, text: text, members: refused)
  }

  /// Why no subscription to the class of a query can be answered, in a sentence for people; nil when
  /// one can.
  private static func problemOfClass(
    _ query: ViewQuery, in schema: Schema, mayLackClass: Bool
  ) -> String? {
    let known = schema[query.className]
    if let known, !known.isEmbedded, known.primaryKey == nil {
      return "\(query.className) has no primary key, so it cannot be subscribed to"
    }
    guard known != nil || mayLackClass else {
      return "the server has no class \(query.className)"
    }
    return nil
  }

  /// Why a server cannot answer a query, in a sentence for people; nil when it can, if it has its
  /// class.
  ///
  /// A class in which the user has no role is no error: its view is empty.
  ///
  /// - Complexity: As long as it takes to read and bind the text.
  static func problem(_ query: ViewQuery, in schema: Schema, _ rights: UserRights) -> String? {
    guard query.text.utf8.count <= QueryLimits.subscriptionByteCount else {
      return "the query on \(query.className) is longer than "
        + "\(QueryLimits.subscriptionByteCount) bytes"
    }
    let message: String
    do {
      let request = try QuerySyntax.parse(query.text)
      guard let known = schema[query.className] else { return nil }
      let own = rights[query.className]
      let problem = SubscriptionRules.problem(in: request, text: query.text, on: known) {
        known.primaryKey?.hasSameBytes(as: $0) == true || own?.allowsAsking(for: $0) ?? true
      }
      if let problem {
        message = problem.message
      } else if let partition = own?.partition,
        !SubscriptionRules.fixes(partition, in: request.predicate)
      {
        message =
          "it must compare '\(partition)' with constants by == or IN, at the top or in its "
          + "outermost AND"
      } else {
        _ = try Query(query.text, on: query.className, in: schema)
        return nil
      }
    } catch let error as QuerySyntaxError {
      message = error.message
    } catch let error as QueryError {
      message = error.message
    } catch { message = "\(error)" }
    return "the query \(shortened(query.text)) on \(query.className): \(message)"
  }

  private static func problem(
    _ query: ViewQuery, in schema: Schema, _ rights: UserRights, _ known: SetPreparation?
  ) -> String? {
    if let known, let found = known.problem(of: query) { return found.text }
    return problem(query, in: schema, rights)
  }

  /// Quotes the beginning of a query, which identifies the subscription for people.
  static func shortened(_ text: String) -> String {
    let beginning = text.prefix(100)
    return beginning.endIndex == text.endIndex ? "'\(text)'" : "'\(beginning)…'"
  }
}
