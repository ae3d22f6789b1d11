internal import Atoll

/// An object with a key, which may lead to any others.
final class GraphNode: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var number: Int?
  @Persisted var link: GraphNode?
  @Persisted var leaf: GraphLeaf?
  @Persisted var list: List<GraphNode>
  @Persisted var leaves: List<GraphLeaf>
  @Persisted var set: MutableSet<GraphNode>
  @Persisted var map: Map<String, GraphNode?>
  @Persisted var any: AnyRealmValue
  @Persisted var values: List<AnyRealmValue>
  @Persisted var part: GraphPart?
  @Persisted var parts: List<GraphPart>
  @Persisted var partMap: Map<String, GraphPart?>
  @Persisted var numbers: List<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var texts: Map<String, String>
}

/// An object without a key: each copy of it is another object.
final class GraphLeaf: Object {
  @Persisted var name: String
  @Persisted var next: GraphLeaf?
  @Persisted var node: GraphNode?
  @Persisted var any: AnyRealmValue
  @Persisted var part: GraphPart?
}

/// An object that belongs to one property.
final class GraphPart: EmbeddedObject {
  @Persisted var name: String
  @Persisted var node: GraphNode?
  @Persisted var leaf: GraphLeaf?
  @Persisted var inner: GraphPart?
  @Persisted var inners: List<GraphPart>
  @Persisted var any: AnyRealmValue
}
