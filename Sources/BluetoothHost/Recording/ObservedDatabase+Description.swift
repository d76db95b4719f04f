// Turns the observations of a server into a recorded peripheral. The cause of each sent value is decided here:
//
// - A value answers a write to the same service if it follows the write, or the previous answer of the same
//   characteristic, within one second, and its characteristic has sent nothing by itself on that link before.
// - Every other value was sent spontaneously. Its time counts from the subscription, or from the beginning of the link
//   if the subscription is older. Of several subscriptions the one with the most values is kept.

import BluetoothTypes
import NIOCore

extension ObservedDatabase {
    /// The longest time from a write, or the previous answer, to a value that answers it, in microseconds.
    static let answerWindow: Int64 = 1_000_000
    /// Longer delays are attributed to a clock that was set.
    private static let longestDelay: Int64 = 86_400_000_000

    /// Adds the observations.
    func describe(_ peripheral: inout RecordedPeripheral) {
        var services = self.recordedServices
        let descriptorQuestions = self.answered(.descriptors)
        var configured: Set<AttributeHandle> = []
        var places: [AttributeHandle: (service: Int, characteristic: Int)] = [:]
        var configurations: [AttributeHandle: AttributeHandle] = [:]
        var descriptors: [AttributeHandle: (service: Int, characteristic: Int, index: Int)] = [:]
        for (number, service) in services.enumerated() {
            for (index, characteristic) in service.characteristics.enumerated() {
                places[characteristic.handle] = (number, index)
                let end = Self.end(of: index, in: service)
                for handle in Self.handles(behind: characteristic.handle, through: end) {
                    self.describe(
                        handle,
                        &services[number].characteristics[index],
                        configuration: {
                            configurations[handle] = characteristic.handle
                            configured.insert(characteristic.handle)
                        },
                        descriptor: { descriptors[handle] = (number, index, $0) }
                    )
                }
                // A client that discovers no descriptors assumes that the next handle is the configuration.
                let guess = characteristic.handle &+ 1
                if characteristic.properties.needsClientConfiguration, guess <= end, guess > 0,
                    self.types[guess] == nil, !configured.contains(characteristic.handle)
                {
                    configurations[guess] = characteristic.handle
                    configured.insert(characteristic.handle)
                }
                let isComplete =
                    end == characteristic.handle || Self.covers(descriptorQuestions, guess...max(guess, end))
                if isComplete, !configured.contains(characteristic.handle) {
                    services[number].characteristics[index].hasClientConfiguration = false
                }
            }
        }
        var replay = EventPlacement(services: services, places: places, configurations: configurations)
        replay.beginnings = self.beginnings
        for event in self.events {
            if let place = descriptors[event.handle] {
                if case .read(.success(let value)) = event.kind {
                    replay.services[place.service].characteristics[place.characteristic].descriptors[place.index]
                        .value =
                        value
                }
            } else {
                replay.take(event)
            }
        }
        replay.finish()
        services = replay.services
        peripheral.deviceName = self.deviceName.map { String(buffer: $0) }
        let attribute = services.first { $0.uuid.shortValue == GATTAttributeType.genericAttributeService }
        if let attribute, attribute.wasDiscovered {
            func has(_ type: UInt16) -> Bool { attribute.characteristics.contains { $0.uuid.shortValue == type } }
            peripheral.genericAttribute =
                has(GATTAttributeType.databaseHash)
                ? .full : has(GATTAttributeType.serviceChanged) ? .serviceChanged : .empty
        } else if attribute == nil, self.wasListed {
            peripheral.genericAttribute = .absent
        }
        peripheral.mtu = self.serverMTU
        peripheral.services = services.filter {
            $0.uuid.shortValue != GATTAttributeType.genericAccessService
                && $0.uuid.shortValue != GATTAttributeType.genericAttributeService
        }
    }

    /// The services with their characteristics, in ascending order of their handles.
    private var recordedServices: [RecordedService] {
        let starts = self.services.keys.sorted()
        let declarations = self.declarations.keys.sorted()
        let includes = self.includes.keys.sorted()
        var result: [RecordedService] = []
        let questions = self.answered(.characteristics)
        var nextDeclaration = 0
        var nextInclude = 0
        for (index, start) in starts.enumerated() {
            guard let service = self.services[start] else { continue }
            // Overlapping ranges are an error of the server; the first one ends where the second begins.
            let limit = index + 1 < starts.count ? starts[index + 1] - 1 : AttributeHandle.max
            var recorded = RecordedService(
                uuid: service.uuid,
                isPrimary: service.isPrimary,
                handles: start...min(service.end, limit)
            )
            while nextInclude < includes.count, includes[nextInclude] <= recorded.handles.upperBound {
                if includes[nextInclude] >= start, let range = self.includes[includes[nextInclude]],
                    self.services[range.lowerBound] != nil
                {
                    recorded.includes.append(range.lowerBound)
                }
                nextInclude += 1
            }
            while nextDeclaration < declarations.count, declarations[nextDeclaration] <= recorded.handles.upperBound {
                let handle = declarations[nextDeclaration]
                nextDeclaration += 1
                guard handle > start, let declaration = self.declarations[handle],
                    recorded.handles.contains(declaration.valueHandle),
                    // Two declarations of one value are an error of the server, too.
                    declaration.valueHandle > recorded.characteristics.last?.handle ?? 0
                else { continue }
                recorded.characteristics.append(
                    RecordedCharacteristic(
                        uuid: declaration.uuid,
                        properties: declaration.properties,
                        handle: declaration.valueHandle
                    )
                )
            }
            recorded.wasDiscovered =
                !recorded.characteristics.isEmpty || start == recorded.handles.upperBound
                || Self.overlaps(questions, recorded.handles)
            result.append(recorded)
        }
        return result
    }

    /// An attribute after a characteristic's value.
    private func describe(
        _ handle: AttributeHandle,
        _ characteristic: inout RecordedCharacteristic,
        configuration: () -> Void,
        descriptor: (Int) -> Void
    ) {
        guard let type = self.types[handle] else { return }
        switch type.shortValue {
        case GATTAttributeType.clientConfiguration: configuration()
        // The server derives it from the properties.
        case GATTAttributeType.extendedProperties, GATTAttributeType.characteristic, GATTAttributeType.include: return
        default:
            descriptor(characteristic.descriptors.count)
            characteristic.descriptors.append(.init(uuid: type, value: nil))
        }
    }

    /// The last handle that belongs to a characteristic.
    private static func end(of index: Int, in service: RecordedService) -> AttributeHandle {
        guard index + 1 < service.characteristics.count else { return service.handles.upperBound }
        // The value is preceded by its declaration.
        let next = service.characteristics[index + 1].handle
        return max(service.characteristics[index].handle, next >= 2 ? next - 2 : 0)
    }

    private static func handles(
        behind handle: AttributeHandle,
        through end: AttributeHandle
    ) -> some Sequence<AttributeHandle> {
        // A server may claim all handles for its last characteristic; real ones have a few descriptors.
        let last = min(Int(end), Int(handle) + 64)
        return (Int(handle) + 1..<max(last, Int(handle)) + 1).lazy.compactMap { AttributeHandle(exactly: $0) }
    }

    /// The handles that a client has asked about: disjoint ranges in ascending order.
    private func answered(_ question: Question) -> [ClosedRange<Int>] {
        var result: [ClosedRange<Int>] = []
        for asked in self.questions[question, default: []].sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let range = Int(asked.lowerBound)...Int(asked.upperBound)
            if let last = result.last, range.lowerBound <= last.upperBound + 1 {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Whether disjoint ranges contain some handles of another one.
    private static func overlaps(_ ranges: [ClosedRange<Int>], _ range: AttributeHandleRange) -> Bool {
        let first = Self.index(in: ranges, of: range.lowerBound)
        return first < ranges.count && ranges[first].lowerBound <= Int(range.upperBound)
    }

    /// Whether disjoint ranges contain all handles of another one.
    private static func covers(_ ranges: [ClosedRange<Int>], _ range: AttributeHandleRange) -> Bool {
        let first = Self.index(in: ranges, of: range.lowerBound)
        guard first < ranges.count else { return false }
        return ranges[first].lowerBound <= Int(range.lowerBound) && ranges[first].upperBound >= Int(range.upperBound)
    }

    /// The index of the first range that does not end before a handle.
    private static func index(in ranges: [ClosedRange<Int>], of handle: AttributeHandle) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < Int(handle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A delay that a recording can have.
    static func delay(from start: Int64, to time: Int64) -> TimeAmount {
        .microseconds(min(max(time.subtractingReportingOverflow(start).partialValue, 0), Self.longestDelay))
    }
}
