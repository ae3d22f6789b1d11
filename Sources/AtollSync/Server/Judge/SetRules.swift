internal import AtollObjects
internal import AtollQuery

/// What the subscriptions of a device must be for a server to answer them.
enum SetRules {
  /// How many subscriptions a set may have.
  static let countLimit = 10_000
  /// How long the queries of a set may be together.
  static let setByteCountLimit = 4 << 20

  static func byteCount(_ members: [SetMember]) -> Int {
    members.reduce(0) { $0 + $1.className.utf8.count + $1.query.utf8.count }
  }

  /// Why a server cannot answer a subscription, in a sentence for people; nil when it can.
  static func problem(_ query: ViewQuery, in schema: Schema) -> String? {
    guard let known = schema[query.className] else {
      return "the server has no class \(query.className)"
    }
    guard known.isEmbedded || known.primaryKey != nil else {
      return "\(query.className) has no primary key, so it cannot be subscribed to"
    }
    guard query.text.utf8.count <= SubscriptionRules.byteCountLimit else {
      return "the query on \(query.className) is longer than "
        + "\(SubscriptionRules.byteCountLimit) bytes"
    }
    let message: String
    do {
      let request = try QuerySyntax.parse(query.text)
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
