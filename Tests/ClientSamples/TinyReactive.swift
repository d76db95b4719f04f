// As much of a reactive library as the two reactive clients need: streams that can fail, and what ends a subscription.

/// What a stream says.
package enum Signal<Value> {
    case value(Value)
    case failure(Error)
}

/// Ends a subscription when it is cancelled or forgotten.
package final class Subscription {
    private var end: (() -> Void)?

    package init(_ end: @escaping () -> Void = {}) { self.end = end }

    deinit { cancel() }

    package func cancel() {
        end?()
        end = nil
    }

    package func store(in bag: inout [Subscription]) { bag.append(self) }
}

/// A stream that says something to each subscriber.
package struct Stream<Value> {
    let subscribe: (@escaping (Signal<Value>) -> Void) -> Subscription

    package init(_ subscribe: @escaping (@escaping (Signal<Value>) -> Void) -> Subscription) {
        self.subscribe = subscribe
    }

    package static func just(_ value: Value) -> Stream {
        Stream { receive in
            receive(.value(value))
            return Subscription()
        }
    }

    package static func fail(_ error: Error) -> Stream {
        Stream { receive in
            receive(.failure(error))
            return Subscription()
        }
    }

    package func sink(_ receive: @escaping (Signal<Value>) -> Void) -> Subscription { subscribe(receive) }

    package func map<Other>(_ transform: @escaping (Value) throws -> Other) -> Stream<Other> {
        Stream<Other> { receive in
            subscribe { signal in
                do {
                    switch signal {
                    case .value(let value): receive(.value(try transform(value)))
                    case .failure(let error): throw error
                    }
                } catch {
                    receive(.failure(error))
                }
            }
        }
    }

    package func filter(_ isIncluded: @escaping (Value) -> Bool) -> Stream {
        Stream { receive in
            subscribe { signal in
                if case .value(let value) = signal, !isIncluded(value) { return }
                receive(signal)
            }
        }
    }

    /// The first signal alone.
    package func first() -> Stream {
        Stream { receive in
            var isDone = false
            return subscribe { signal in
                guard !isDone else { return }
                isDone = true
                receive(signal)
            }
        }
    }

    package func flatMap<Other>(_ transform: @escaping (Value) -> Stream<Other>) -> Stream<Other> {
        Stream<Other> { receive in
            var inner: [Subscription] = []
            let outer = subscribe { signal in
                switch signal {
                case .value(let value): inner.append(transform(value).subscribe(receive))
                case .failure(let error): receive(.failure(error))
                }
            }
            return Subscription {
                outer.cancel()
                inner.removeAll()
            }
        }
    }

    /// Does something at the moment of subscribing, after it.
    package func onSubscribe(_ action: @escaping () -> Void) -> Stream {
        Stream { receive in
            let subscription = subscribe(receive)
            action()
            return subscription
        }
    }
}

/// A stream that is fed by hand.
package final class Subject<Value> {
    private var receivers: [Int: (Signal<Value>) -> Void] = [:]
    private var count = 0

    package init() {}

    package var stream: Stream<Value> {
        Stream { receive in
            self.count += 1
            let number = self.count
            self.receivers[number] = receive
            return Subscription { [weak self] in self?.receivers[number] = nil }
        }
    }

    package func send(_ value: Value) { receivers.sorted { $0.key < $1.key }.forEach { $0.value(.value(value)) } }

    package func fail(_ error: Error) { receivers.sorted { $0.key < $1.key }.forEach { $0.value(.failure(error)) } }
}
