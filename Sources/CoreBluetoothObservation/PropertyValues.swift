// The values of a property as an asynchronous sequence.

#if !canImport(ObjectiveC)
/// The values of a property, one after the other; made by ``KeyValueObservable/values(of:)``.
public struct PropertyValues<Value: Sendable>: AsyncSequence {
    /// How many values wait for a slow reader.
    private static var limit: Int { 256 }

    /// Begins to observe.
    let observe: (_ receive: @escaping (Value) -> Void) -> NSKeyValueObservation

    /// Begins to observe; each iteration by itself.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self,
            bufferingPolicy: .bufferingNewest(Self.limit)
        )
        let observation = self.observe { continuation.yield($0) }
        return Iterator(source: self, observation: observation, values: stream.makeAsyncIterator())
    }

    /// Gives the values; the observation ends with it.
    public struct Iterator: AsyncIteratorProtocol {
        /// Keeps the object that is observed.
        let source: PropertyValues
        let observation: NSKeyValueObservation
        var values: AsyncStream<Value>.Iterator

        /// The next value; `nil` once the task is cancelled.
        public mutating func next() async -> Value? { await self.next(isolation: nil) }

        /// The next value; `nil` once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await self.values.next(isolation: actor)
        }
    }
}
#endif
