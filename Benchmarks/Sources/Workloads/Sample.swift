/// One timed run of a workload.
package struct Sample: Sendable {
  package var operations: Int
  package let seconds: Double
  /// The answer, or bytes of the files: see `Workload.ResultKind`.
  package var result: Int
  package let resources: ResourceUse
  /// Seconds of each transaction; empty when the workload is not a series of them.
  package var transactionSeconds: [Double] = []

  /// Times `body` and counts what it uses.
  ///
  /// - Parameters:
  ///   - operations: how many operations `body` does.
  ///   - body: the work; its value becomes the result.
  /// - Returns: the run, with the result of `body`.
  static func measure(operations: Int, _ body: () throws -> Int) rethrows -> Sample {
    let meter = ProcessMeter()
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    let elapsed = clock.now - start
    return Sample(
      operations: operations, seconds: elapsed.inSeconds, result: result, resources: meter.use())
  }

  /// Times a series of transactions, the whole and each one.
  ///
  /// - Parameters:
  ///   - count: the number of transactions.
  ///   - operationsEach: operations in one of them.
  ///   - transaction: the work of the transaction with this index.
  /// - Returns: the run, with the seconds of each transaction; its result is 0.
  static func measureTransactions(
    count: Int, operationsEach: Int, _ transaction: (Int) throws -> Void
  ) rethrows -> Sample {
    var each: [Double] = []
    each.reserveCapacity(count)
    let clock = ContinuousClock()
    var sample = try measure(operations: count * operationsEach) {
      for index in 0..<count {
        let start = clock.now
        try transaction(index)
        each.append((clock.now - start).inSeconds)
      }
      return 0
    }
    sample.transactionSeconds = each
    return sample
  }
}

extension Duration {
  /// The duration as a floating-point number of seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
