/// What is about to be done to one element of a list.
package enum ElementChange {
  case insert(at: Int)
  /// With what the element holds.
  case set(at: Int, Value)
  case remove(at: Int, Value)
}
