// Creates a script from a capture: the peripheral of a real conversation, with its database, values, notifications and
// answers.

import BluetoothHost
import BluetoothTransport
import BluetoothTypes
public import CoreBluetooth
import Foundation
import Logging
import NIOCore

extension ScriptedPeripheral {
    /// Creates the peripheral of a real conversation.
    ///
    /// The file is a capture of HCI packets in the format of btsnoop (Linux, Android, `--capture` of this project's
    /// programs) or of Apple's PacketLogger, recorded at the central or at the peripheral. The script has what the
    /// capture shows:
    ///
    /// - its advertisement, name and ATT MTU;
    /// - its database: services, included services, characteristics, descriptors, as far as they were discovered;
    /// - values: the nth read of a characteristic gets the result of the nth read in the capture, and later ones the
    ///   present value; recorded writes are accepted or rejected as in the capture;
    /// - notifications and indications, at the same times after the subscription;
    /// - answers: a value that follows a write to the same service, or another answer of the same characteristic,
    ///   within one second is an answer to the write, unless its characteristic has sent updates before. An equal write
    ///   gets the same answer after the same time.
    ///
    /// Attributes that rejected a request because the link was not encrypted require encryption. Requests that are not
    /// in the capture are errors: if the code under test makes a read, write or subscription that nobody made in the
    /// capture, the trace says so, and the next `run(until:within:)` throws a ``WorldError`` with the line of this
    /// call. Use ``update(_:_:)`` to change the script before. ``unseen`` lists what is missing from the database.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - device: The address or the name of the peripheral, if the capture has several; `local` for the device whose
    ///     host was captured.
    ///   - file: The file of the call, for messages.
    ///   - line: The line of the call, for messages.
    /// - Throws: An error with a text of one line, if the file cannot be read or has no such conversation.
    public init(
        capture path: String,
        device: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let caller = Caller(file: file, line: line)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CaptureError(caller.text("cannot read the capture \(path)"))
        }
        try self.init(capture: data, named: path, device: device, caller: caller)
    }

    /// Creates the peripheral of a real conversation from the content of a file; see
    /// ``init(capture:device:file:line:)-(String,_,_,_)``.
    public init(
        capture data: Data,
        device: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try self.init(capture: data, named: nil, device: device, caller: Caller(file: file, line: line))
    }

    private init(capture data: Data, named path: String?, device: String?, caller: Caller) throws {
        do {
            let content = try CaptureReader.content(of: ByteBuffer(bytes: data))
            if let cut = content.cut {
                Logger(label: "bluetooth.capture").warning("\(caller.text((path.map { "\($0): " } ?? "") + cut))")
            }
            let conversations = RecordedConversations(
                content.records.lazy.map {
                    ($0.packet, $0.direction == .toController ? .toController : .toHost, $0.time.microsecondsSince1970)
                }
            )
            self.init(try conversations.peripheral(device), caller)
        } catch {
            throw CaptureError(caller.text((path.map { "\($0): " } ?? "") + "\(error)"))
        }
    }

    /// Changes a characteristic of the script, such as one that a capture lacks.
    ///
    /// ```swift
    /// var sensor = try ScriptedPeripheral(capture: "sensor.btsnoop")
    /// sensor.update("2A39") { $0.onWrite = { _, _ in .success } }
    /// ```
    ///
    /// - Returns: Whether there is a characteristic with that UUID. The first one is changed.
    @discardableResult
    public mutating func update(
        _ characteristic: some CBUUIDConvertible,
        _ change: (inout Characteristic) -> Void
    ) -> Bool {
        let uuid = characteristic.cbUUID
        for service in self.services.indices {
            for index in self.services[service].characteristics.indices
            where self.services[service].characteristics[index].uuid == uuid {
                change(&self.services[service].characteristics[index])
                return true
            }
        }
        return false
    }

    /// Creates the script of a recorded peripheral.
    init(_ recorded: RecordedPeripheral, _ caller: Caller) {
        var unseen: [String] = []
        let uuids = Dictionary(
            recorded.services.map { ($0.handles.lowerBound, CBUUID($0.uuid.attForm)) },
            uniquingKeysWith: { first, _ in first }
        )
        let services = recorded.services.map { service in
            if !service.wasDiscovered {
                unseen.append("the capture has no discovery of the characteristics of service \(service.uuid)")
            }
            return Service(
                CBUUID(service.uuid.attForm),
                isPrimary: service.isPrimary,
                characteristics: service.characteristics.map { Characteristic($0, &unseen) },
                includes: service.includes.compactMap { uuids[$0] }
            )
        }
        self.init(
            name: recorded.name,
            services: services,
            advertisement: Advertisement(
                isConnectable: recorded.isConnectable,
                interval: recorded.advertisingInterval.map { .nanoseconds($0.nanoseconds) } ?? .milliseconds(100)
            ),
            mtu: recorded.mtu ?? 247,
            genericAttribute: recorded.genericAttribute.map(GenericAttribute.init) ?? .databaseHash,
            file: caller.file,
            line: caller.line
        )
        let limit = Advertisement.PDUs.legacy.limit
        if let data = recorded.advertisingData, data.readableBytes <= limit,
            (recorded.scanResponse?.readableBytes ?? 0) <= limit
        {
            self.recordedAdvertisement = RecordedAdvertisement(
                data: Data(data.readableBytesView),
                scanResponse: Data(recorded.scanResponse?.readableBytesView ?? ByteBuffer().readableBytesView)
            )
        } else {
            unseen.append(
                "the capture has no legacy advertisement of it: it advertises its name and its primary services"
            )
            self.advertisement.services = AdvertisedServices.fitting(services)
        }
        self.unseen = unseen
    }
}

extension ScriptedPeripheral.Characteristic {
    fileprivate init(_ recorded: RecordedCharacteristic, _ unseen: inout [String]) {
        let uuid = CBUUID(recorded.uuid.attForm)
        for descriptor in recorded.descriptors where descriptor.value == nil {
            unseen.append(
                "the capture has no value for descriptor \(descriptor.uuid) of characteristic \(uuid.uuidString)"
            )
        }
        self.init(
            uuid,
            properties: CBCharacteristicProperties(rawValue: UInt(recorded.properties.rawValue)),
            value: recorded.firstValue.map { Data($0.readableBytesView) } ?? Data(),
            updates: recorded.updates.isEmpty
                ? nil
                : .at(
                    recorded.updates.map {
                        (.nanoseconds($0.delay.nanoseconds), Data($0.value.readableBytesView))
                    }
                ),
            security: recorded.demandsEncryption ? .encrypted : .none,
            descriptors: recorded.descriptors.map {
                var descriptor = ScriptedPeripheral.Descriptor(
                    CBUUID($0.uuid.attForm),
                    value: $0.value.map { Data($0.readableBytesView) } ?? Data()
                )
                descriptor.isUnseen = $0.value == nil
                return descriptor
            },
            hasClientConfiguration: recorded.hasClientConfiguration
        )
        self.recording = recorded
    }
}

/// The services that fit into an advertisement.
private enum AdvertisedServices {
    static func fitting(_ services: [ScriptedPeripheral.Service]) -> [CBUUID] {
        var length = 3
        var result: [CBUUID] = []
        for service in services where service.isPrimary {
            length += 2 + service.uuid.data.count
            guard length <= ScriptedPeripheral.Advertisement.PDUs.legacy.limit else { break }
            result.append(service.uuid)
        }
        return result
    }
}
