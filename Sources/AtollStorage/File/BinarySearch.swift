/// Returns the first index of a range that is not below what is searched for; the end of the range
/// if all are.
///
/// `isBelow` holds for the first indices of the range, up to the one that is returned, and for none
/// after it. Inlined with its test, so that it costs what a loop at the place of the call costs.
@inlinable
@inline(__always)
package func binarySearch<Failure: Error>(
  _ range: Range<Int>, _ isBelow: (Int) throws(Failure) -> Bool
) throws(Failure) -> Int {
  var low = range.lowerBound
  var high = range.upperBound
  while low < high {
    let middle = (low &+ high) / 2
    if try isBelow(middle) { low = middle &+ 1 } else { high = middle }
  }
  return low
}
