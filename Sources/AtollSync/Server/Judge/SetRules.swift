internal import AtollObjects
internal import AtollQuery

/// What the subscriptions of a device must be for a server to answer them.
enum SetRules {
  /// How many subscriptions a set may have.
  static let countLimit = 10_000
  /// How long the queries of a set may be together.
  static let setByteCountLimit = 4 << 20

  /// Whether a set is within these limits.
  static func isSmall(_ members: [SetMember]) -> Bool {
    members.count <= countLimit
      && members.reduce(0) { $0 + $1.className.utf8.count + $1.query.utf8.count }
        <= setByteCountLimit
  }

  /// Why a server cannot answer a set; nil when it can.
  ///
  /// `mayLackClasses`: whether classes that the server has not are passed over for now.
  static func refusal(
    _ members: [SetMember], in schema: Schema, mayLackClasses: Bool = false
  ) -> Refusal? {
    guard isSmall(members) else {
      return Refusal(
        .tooLarge,
        text: "a set has at most \(countLimit) subscriptions and \(setByteCountLimit) bytes")
    }
    return refusal(ViewQuery.queries(members), in: schema, mayLackClasses: mayLackClasses)
  }

  static func refusal(
    _ queries: [ViewQuery], in schema: Schema, mayLackClasses: Bool = false
  ) -> Refusal? {
    for query in queries {
      if let problem = problem(query, in: schema, mayLackClass: mayLackClasses) {
        return Refusal(.invalidQuery, text: problem)
      }
    }
    return nil
  }

  /// Why a server cannot answer a subscription, in a sentence for people; nil when it can.
  private static func problem(
    _ query: ViewQuery, in schema: Schema, mayLackClass: Bool
  ) -> String? {
    let known = schema[query.className]
    if let known, !known.isEmbedded, known.primaryKey == nil {
      return "\(query.className) has no primary key, so it cannot be subscribed to"
    }
    guard known != nil || mayLackClass else {
      return "the server has no class \(query.className)"
    }
    guard query.text.utf8.count <= SubscriptionRules.byteCountLimit else {
      return "the query on \(query.className) is longer than "
        + "\(SubscriptionRules.byteCountLimit) bytes"
    }
    let message: String
    do {
      let request = try QuerySyntax.parse(query.text)
      guard let known else { return nil }
      let problem = SubscriptionRules.problem(in: request, text: query.text, on: known)
      guard let problem else {
        _ = try Query(query.text, on: query.className, in: schema)
        return nil
      }
      message = problem.message
    } catch let error as QuerySyntaxError {
      message = error.message
    } catch let error as QueryError {
      message = error.message
    } catch { message = "\(error)" }
    return "the query on \(query.className): \(message)"
  }
}
