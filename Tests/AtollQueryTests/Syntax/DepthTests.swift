import Foundation
import TestThreads
import Testing

@testable import AtollQuery

/// Texts of the size and depth that generators of queries make, on the smallest stack in use.
@Suite(.computing) struct DepthTests {
  /// The outcome of a parse on its own thread: the tree's canonical text, or the error.
  private final class Outcome: @unchecked Sendable {
    // Written by one thread before the semaphore is signalled, read after.
    var result: Result<String, QuerySyntaxError>?
    var survivesUse = false
  }

  /// Parses, compares, hashes, prints and destroys on a thread with a stack of 512 KiB.
  private func onSmallStack(_ text: String) async throws -> String {
    let outcome = Outcome()
    await withCheckedContinuation { continuation in
      let thread = Thread {
        do throws(QuerySyntaxError) {
          let request = try QuerySyntax.parse(text)
          let printed = request.description
          let again = try QuerySyntax.parse(printed)
          outcome.survivesUse = again == request && again.hashValue == request.hashValue
          outcome.result = .success(printed)
        } catch {
          outcome.result = .failure(error)
        }
        continuation.resume()
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    let printed = try #require(outcome.result).get()
    #expect(outcome.survivesUse)
    return printed
  }

  private func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test(arguments: [" OR ", " AND ", " OR b == 2 AND "])
  func readsThirtyThousandTerms(connective: String) async throws {
    let text = "a == 1" + repeated("\(connective)a == 1", 30_000)
    #expect(try await onSmallStack(text) == text)
  }

  @Test(arguments: [("NOT ", 100_000), ("!", 100_001)])
  func cancelsAHundredThousandNegations(spelling: String, count: Int) async throws {
    let printed = try await onSmallStack(repeated(spelling, count) + "a == 1")
    #expect(printed == (count.isMultiple(of: 2) ? "a == 1" : "NOT a == 1"))
  }

  @Test
  func collapsesTenThousandParentheses() async throws {
    let open = repeated("(", 10_000)
    let close = repeated(")", 10_000)
    #expect(try await onSmallStack("\(open)a == 1\(close)") == "a == 1")
    #expect(try await onSmallStack("\(open)a\(close) == \(open)1 + b\(close)") == "a == 1 + b")
    let negated = repeated("!(", 10_000)
    #expect(try await onSmallStack("\(negated)a == 1\(close)") == "a == 1")
  }

  /// Code that wraps a growing query in parentheses makes such texts, in both directions.
  @Test(arguments: [" OR ", " AND "])
  func flattensTenThousandRegroupings(connective: String) async throws {
    let flat = "a == 1" + repeated("\(connective)a == 1", 10_000)
    let left = repeated("(", 10_000) + "a == 1" + repeated("\(connective)a == 1)", 10_000)
    #expect(try await onSmallStack(left) == flat)
    let right = repeated("(a == 1\(connective)", 10_000) + "a == 1" + repeated(")", 10_000)
    #expect(try await onSmallStack(right) == flat)
    let double = repeated("!(!(a == 1\(connective)", 5_000) + "a == 1" + repeated("))", 5_000)
    #expect(
      try await onSmallStack(double) == "a == 1" + repeated("\(connective)a == 1", 5_000))
  }

  @Test
  func readsLongChainsListsAndPaths() async throws {
    let sum = "a" + repeated(" + b * 2", 50_000) + " == 1"
    #expect(try await onSmallStack(sum) == sum)
    let list = "a IN {0" + repeated(", 1", 100_000) + "}"
    #expect(try await onSmallStack(list) == list)
    let path = "a" + repeated(".b[0]", 50_000) + " == 1"
    #expect(try await onSmallStack(path) == path)
    let sorts = "a == 1" + repeated(" SORT(a ASC)", 20_000)
    #expect(try await onSmallStack(sorts) == sorts)
  }

  @Test(arguments: ["x", #"\\"#, "å", "' AND \"", "("])
  func readsStringsOf256Kilobytes(piece: String) async throws {
    let content = repeated(piece, 256 * 1024 / piece.utf8.count)
    let quoted = piece.contains("'") ? "a == 'x'" : "a == '\(content)'"
    #expect(try await onSmallStack(quoted) == quoted)
    // The same content outside quotes is an error, reached as safely.
    await #expect(throws: QuerySyntaxError.self) { try await onSmallStack(content) }
  }

  /// The forms in which a tree can really become deep, and the depth that `count` levels give.
  static let nestings: [@Sendable (Int) -> String] = [
    { count in  // AND and OR in turn: a level each, and two for the comparison.
      (0..<count - 2).reversed().map { $0.isMultiple(of: 2) ? "(a == 1 OR " : "(a == 1 AND " }
        .joined() + "a == 1" + String(repeating: ")", count: count - 2)
    },
    { count in  // Sums in products: nothing flattens.
      String(repeating: "a - (", count: count - 2) + "a" + String(repeating: ")", count: count - 2)
        + " == 1"
    },
    { count in  // Subqueries: two levels each.
      count.isMultiple(of: 2)
        ? String(repeating: "SUBQUERY(c, $s, ", count: count / 2 - 1) + "a == 1"
          + String(repeating: ").@count == 1", count: count / 2 - 1)
        : "NOT " + String(repeating: "SUBQUERY(c, $s, ", count: count / 2 - 1) + "a == 1"
          + String(repeating: ").@count == 1", count: count / 2 - 1)
    },
    { count in  // NOT between ANDs: two levels each.
      "a == 1 AND " + String(repeating: "!(a == 1 AND ", count: (count - 3) / 2)
        + (count.isMultiple(of: 2) ? "!" : "") + "a == 1"
        + String(repeating: ")", count: (count - 3) / 2)
    },
  ]

  @Test(arguments: nestings.indices)
  func limitsRealDepth(index: Int) async throws {
    let nesting = Self.nestings[index]
    let deepest = nesting(QuerySyntax.maximumDepth)
    #expect(try await onSmallStack(deepest).count > QuerySyntax.maximumDepth)
    for tooDeep in [QuerySyntax.maximumDepth + 1, 5_000] {
      let error = await #expect(throws: QuerySyntaxError.self) {
        try await onSmallStack(nesting(tooDeep))
      }
      #expect(error?.message.contains("more than 200 levels") == true)
    }
  }

  @Test
  func limitsOpenParentheses() async throws {
    let limit = QuerySyntax.maximumOpenParentheses
    let most = repeated("(", limit) + "a == 1" + repeated(")", limit)
    #expect(try await onSmallStack(most) == "a == 1")
    let error = await #expect(throws: QuerySyntaxError.self) {
      try await onSmallStack("(\(most))")
    }
    #expect(error?.byteOffset == limit)
    #expect(error?.message == "more than 16384 parentheses are open")
  }
}
