internal import Atoll

/// A change of a range of a list, which the library and the model make alike.
enum ApiSliceChange {
  /// At a position in the list.
  case setElement(Int, ApiValue)
  case swap(Int, Int)
  case sort
  case reverse
  case removeFirst(Int)

  /// The change of the model's value.
  func apply(to slice: inout ArraySlice<ApiValue>) {
    switch self {
    case .setElement(let index, let element): slice[index] = element
    case .swap(let a, let b): slice.swapAt(a, b)
    case .sort: slice.sort()
    case .reverse: slice.reverse()
    case .removeFirst(let count): slice.removeFirst(count)
    }
  }

  func apply<Element: ApiElement & RealmCollectionValue>(
    to slice: inout ListSlice<Element>, _ objects: ApiObjects
  ) {
    switch self {
    case .setElement(let index, let element): slice[index] = Element.make(element, objects)
    case .swap(let a, let b): slice.swapAt(a, b)
    case .sort: slice.sort { $0.plain < $1.plain }
    case .reverse: slice.reverse()
    case .removeFirst(let count): slice.removeFirst(count)
    }
  }
}

extension ApiSliceChange: CustomStringConvertible {
  var description: String {
    switch self {
    case .setElement(let index, let element): "[\(index)] = \(element)"
    case .swap(let a, let b): ".swapAt(\(a), \(b))"
    case .sort: ".sort()"
    case .reverse: ".reverse()"
    case .removeFirst(let count): ".removeFirst(\(count))"
    }
  }
}
