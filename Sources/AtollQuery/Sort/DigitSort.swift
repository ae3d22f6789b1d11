/// Sorts numbers in place by their digits.
///
/// Up to `QueryLimits.sortSpareCount` numbers are dealt out by their highest digit through a spare
/// list, until the parts are so small that they stay in the nearest cache, and these sorted from
/// the lowest digit to the highest. More numbers are first dealt out where they lie. Memory beside
/// the numbers: at most that of the spare list, eight bytes a number, however many there are.
@safe
final class DigitSort {
  /// Numbers that are sorted from the lowest digit.
  private static let smallCount = 1 << 13

  private let limit: Int
  private var spare: UnsafeMutablePointer<UInt64>
  private var capacity = 0

  /// `limit`: numbers that the spare list may have; smaller only in tests.
  init(limit: Int = QueryLimits.sortSpareCount) {
    self.limit = limit
    unsafe spare = .allocate(capacity: 1)
  }

  deinit { unsafe spare.deallocate() }

  /// Sorts numbers that are below 2^`highBit`.
  ///
  /// `lowBit`: the numbers already ascend where they differ only in the bits below it.
  func sort(_ numbers: UnsafeMutableBufferPointer<UInt64>, from lowBit: Int, to highBit: Int) {
    guard numbers.count > 1, lowBit < highBit else { return }
    if numbers.count <= 32 { return unsafe Self.insert(numbers) }
    let shift = max(highBit - 8, 0)
    var ends = [Int](repeating: 0, count: 256)
    let isStable = numbers.count <= limit
    if isStable {
      if capacity < numbers.count {
        unsafe spare.deallocate()
        capacity = numbers.count
        unsafe spare = .allocate(capacity: capacity)
      }
      if numbers.count <= Self.smallCount {
        return unsafe sortSmall(numbers, from: lowBit, to: highBit)
      }
    }
    unsafe Self.count(UnsafeBufferPointer(numbers), shift, &ends)
    // Of one digit nothing moves.
    guard !ends.contains(numbers.count) else {
      return unsafe sort(numbers, from: lowBit, to: shift)
    }
    var starts = [Int](repeating: 0, count: 256)
    for digit in 1..<256 { starts[digit] = starts[digit - 1] + ends[digit - 1] }
    for digit in 0..<256 { ends[digit] += starts[digit] }
    if isStable {
      unsafe deal(numbers, shift, &starts)
    } else {
      unsafe Self.dealInPlace(numbers, shift, &starts, ends)
    }
    var start = 0
    for end in ends where end > start {
      // Dealing in place does not keep the order of equal digits: then every bit counts.
      unsafe sort(
        UnsafeMutableBufferPointer(rebasing: numbers[start..<end]), from: isStable ? lowBit : 0,
        to: shift)
      start = end
    }
  }

  private static func insert(_ numbers: UnsafeMutableBufferPointer<UInt64>) {
    for end in 1..<numbers.count {
      let number = unsafe numbers[end]
      var place = end
      while place > 0, unsafe numbers[place - 1] > number {
        unsafe numbers[place] = numbers[place - 1]
        place -= 1
      }
      unsafe numbers[place] = number
    }
  }

  /// How many numbers have each value of the eight bits from `shift` on.
  private static func count(
    _ numbers: UnsafeBufferPointer<UInt64>, _ shift: Int, _ counts: inout [Int]
  ) {
    let shift = UInt64(shift)
    unsafe counts.withUnsafeMutableBufferPointer { counts in
      // SAFETY: eight bits are below 256.
      for index in 0..<numbers.count { unsafe counts[Int(numbers[index] &>> shift & 0xFF)] &+= 1 }
    }
  }

  /// Brings numbers of one digit together, in the order of the digits, and keeps theirs.
  private func deal(
    _ numbers: UnsafeMutableBufferPointer<UInt64>, _ shift: Int, _ places: inout [Int]
  ) {
    let shift = UInt64(shift)
    let target = unsafe spare
    unsafe places.withUnsafeMutableBufferPointer { places in
      for index in 0..<numbers.count {
        let number = unsafe numbers[index]
        let digit = Int(number &>> shift & 0xFF)
        // SAFETY: the places of all digits add up to the count of numbers.
        unsafe target[places[digit]] = number
        unsafe places[digit] &+= 1
      }
    }
    _ = unsafe numbers.update(
      fromContentsOf: UnsafeBufferPointer(start: target, count: numbers.count))
  }

  /// Brings numbers of one digit together, in the order of the digits, but not in theirs.
  private static func dealInPlace(
    _ numbers: UnsafeMutableBufferPointer<UInt64>, _ shift: Int, _ places: inout [Int],
    _ ends: [Int]
  ) {
    let shift = UInt64(shift)
    for digit in 0..<256 {
      while places[digit] < ends[digit] {
        // Follows a circle of numbers, each to a place of its digit, until one belongs here.
        var number = unsafe numbers[places[digit]]
        var target = Int(number &>> shift & 0xFF)
        while target != digit {
          unsafe swap(&numbers[places[target]], &number)
          places[target] += 1
          target = Int(number &>> shift & 0xFF)
        }
        unsafe numbers[places[digit]] = number
        places[digit] += 1
      }
    }
  }

  /// From the lowest digit to the highest, to and fro between the numbers and the spare list.
  private func sortSmall(
    _ numbers: UnsafeMutableBufferPointer<UInt64>, from lowBit: Int, to highBit: Int
  ) {
    var source = unsafe numbers
    var target = unsafe UnsafeMutableBufferPointer(start: spare, count: numbers.count)
    var shift = lowBit
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
      while shift < highBit {
        // Of the last digit fewer bits may be left; bits above them are zero or equal.
        let bits = UInt64(shift)
        unsafe places.initialize(repeating: 0)
        // SAFETY: eight bits are below 256, and the places of all add up to the count of numbers.
        for index in 0..<source.count { unsafe places[Int(source[index] &>> bits & 0xFF)] &+= 1 }
        shift += 8
        if unsafe places[Int(source[0] &>> bits & 0xFF)] == source.count { continue }
        var sum = 0
        for digit in 0..<256 {
          let count = unsafe places[digit]
          unsafe places[digit] = sum
          sum &+= count
        }
        for index in 0..<source.count {
          let number = unsafe source[index]
          let digit = Int(number &>> bits & 0xFF)
          unsafe target[places[digit]] = number
          unsafe places[digit] &+= 1
        }
        unsafe swap(&source, &target)
      }
    }
    if unsafe source.baseAddress != numbers.baseAddress {
      _ = unsafe numbers.update(fromContentsOf: source)
    }
  }
}
