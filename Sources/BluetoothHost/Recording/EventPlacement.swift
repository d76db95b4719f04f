// Assigns the events of a server's values: reads and writes to their characteristic, sent values to the write that they
// answer or to the subscription that they follow.

import BluetoothTypes
import NIOCore

extension ObservedDatabase {
    /// Assigns events to characteristics.
    struct EventPlacement {
        /// A write that sent values may answer.
        private struct Question {
            var place: (service: Int, characteristic: Int)
            var index: Int
            var time: Int64
            /// The start of delays: the answer to the write, which travels the same way as the values.
            var start: Int64
            /// The time of each characteristic's last answer.
            var answers: [AttributeHandle: Int64] = [:]
        }

        /// A characteristic on one link.
        private struct Subscriber: Hashable {
            var link: Int
            var handle: AttributeHandle
        }

        /// The values that a characteristic sent by itself since its subscription.
        private struct Stream {
            var start: Int64
            var updates: [RecordedCharacteristic.Update] = []
        }

        /// The services, with their assigned events.
        var services: [RecordedService]
        /// The positions of characteristics by their value handles.
        let places: [AttributeHandle: (service: Int, characteristic: Int)]
        /// The characteristics of Client Characteristic Configurations.
        let configurations: [AttributeHandle: AttributeHandle]
        /// The beginnings of links.
        var beginnings: [Int: Int64] = [:]
        /// The last write to each service on each link.
        private var questions: [Int: [Int: Question]] = [:]
        private var streams: [Subscriber: Stream] = [:]

        init(
            services: [RecordedService],
            places: [AttributeHandle: (service: Int, characteristic: Int)],
            configurations: [AttributeHandle: AttributeHandle]
        ) {
            self.services = services
            self.places = places
            self.configurations = configurations
        }

        /// Takes the next event.
        mutating func take(_ event: Event) {
            if let handle = self.configurations[event.handle] { return self.configured(handle, event) }
            guard let place = self.places[event.handle] else { return }
            switch event.kind {
            case .read(let result):
                if case .failure(let error) = result, error.isForWantOfSecurity {
                    return self.update(place) { $0.demandsEncryption = true }
                }
                self.update(place) { $0.reads.append(.init(result, writesBefore: $0.writes.count)) }
            case .write(let value, let outcome): self.wrote(value, outcome, event, place)
            case .sent(let value): self.sent(value, event, place)
            }
        }

        /// Keeps the streams that are still open.
        mutating func finish() {
            for (subscriber, stream) in self.streams.sorted(by: { $0.key.link < $1.key.link }) {
                self.keep(stream, of: subscriber.handle)
            }
            self.streams = [:]
        }

        private mutating func update(
            _ place: (service: Int, characteristic: Int),
            _ body: (inout RecordedCharacteristic) -> Void
        ) {
            body(&self.services[place.service].characteristics[place.characteristic])
        }

        /// A Client Characteristic Configuration was written.
        private mutating func configured(_ handle: AttributeHandle, _ event: Event) {
            guard let place = self.places[handle], case .write(let value, let outcome) = event.kind else { return }
            switch outcome {
            case .refused(let error):
                if error.isForWantOfSecurity { self.update(place) { $0.demandsEncryption = true } }
                return
            case .command, .taken, .unanswered: break
            }
            let subscriber = Subscriber(link: event.link, handle: handle)
            if let stream = self.streams.removeValue(forKey: subscriber) { self.keep(stream, of: handle) }
            guard let bits = value.getInteger(at: value.readerIndex, as: UInt8.self), bits & 0b11 != 0 else { return }
            self.update(place) { $0.wasSubscribed = true }
            self.streams[subscriber] = Stream(start: event.answered ?? event.time)
        }

        private mutating func keep(_ stream: Stream, of handle: AttributeHandle) {
            guard let place = self.places[handle] else { return }
            self.update(place) { if stream.updates.count > $0.updates.count { $0.updates = stream.updates } }
        }

        private mutating func wrote(
            _ value: ByteBuffer,
            _ outcome: WriteOutcome,
            _ event: Event,
            _ place: (service: Int, characteristic: Int)
        ) {
            var write = RecordedCharacteristic.Write(value: value)
            switch outcome {
            case .refused(let error) where error.isForWantOfSecurity:
                return self.update(place) { $0.demandsEncryption = true }
            case .refused(let error): write.error = error
            case .unanswered: write.isUnanswered = true
            case .command, .taken: break
            }
            let index = self.services[place.service].characteristics[place.characteristic].writes.count
            self.update(place) { $0.writes.append(write) }
            self.questions[event.link, default: [:]][place.service] = Question(
                place: place,
                index: index,
                time: event.time,
                start: event.answered ?? event.time
            )
        }

        private mutating func sent(
            _ value: ByteBuffer,
            _ event: Event,
            _ place: (service: Int, characteristic: Int)
        ) {
            self.update(place) { $0.wasSubscribed = true }
            let subscriber = Subscriber(link: event.link, handle: event.handle)
            let sendsByItself = self.streams[subscriber]?.updates.isEmpty == false
            if !sendsByItself, let question = self.questions[event.link]?[place.service] {
                let last = question.answers[event.handle] ?? question.time
                let (distance, overflow) = event.time.subtractingReportingOverflow(last)
                if !overflow, distance >= 0, distance <= ObservedDatabase.answerWindow {
                    self.questions[event.link]?[place.service]?.answers[event.handle] = event.time
                    let answer = RecordedCharacteristic.Answer(
                        handle: event.handle,
                        delay: ObservedDatabase.delay(from: question.start, to: event.time),
                        value: value
                    )
                    return self.update(question.place) { $0.writes[question.index].answers.append(answer) }
                }
            }
            // The subscription of a bonded client is older than the link.
            let start = self.beginnings[event.link] ?? event.time
            self.streams[subscriber, default: Stream(start: start)].updates.append(
                .init(
                    delay: ObservedDatabase.delay(
                        from: self.streams[subscriber]?.start ?? start,
                        to: event.time
                    ),
                    value: value
                )
            )
        }
    }
}

extension ATTErrorCode {
    /// Whether a client makes the connection more secure after this error.
    fileprivate var isForWantOfSecurity: Bool {
        self == .insufficientAuthentication || self == .insufficientEncryption || self == .encryptionKeySizeTooShort
    }
}
