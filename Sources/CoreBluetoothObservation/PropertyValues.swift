// The values of a property as an asynchronous sequence.

#if !canImport(ObjectiveC)
/// The successive values of a property; see ``KeyValueObservable/values(of:)``.
public struct PropertyValues<Value: Sendable>: AsyncSequence {
    /// The number of values that wait for a slow consumer.
    private static var limit: Int { 256 }

    /// Starts an observation that calls `receive` with each value.
    let observe: (_ receive: @escaping (Value) -> Void) -> NSKeyValueObservation

    /// Starts observing; each iteration is independent.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self,
            bufferingPolicy: .bufferingNewest(Self.limit)
        )
        let observation = self.observe { continuation.yield($0) }
        return Iterator(source: self, observation: observation, values: stream.makeAsyncIterator())
    }

    /// Iterates over the values; the observation ends with it.
    public struct Iterator: AsyncIteratorProtocol {
        /// Retains the observed object.
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
