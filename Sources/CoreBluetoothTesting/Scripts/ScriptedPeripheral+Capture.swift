// A capture becomes a script: the peripheral of a real conversation, with its database, values, notifications and
// answers.

import BluetoothHost
import BluetoothTransport
import BluetoothTypes
public import CoreBluetooth
import Foundation
import Logging
import NIOCore

extension ScriptedPeripheral {
    /// The peripheral of a real conversation.
    ///
    /// The file is a capture of HCI packets in the format of btsnoop (Linux, Android, `--capture` of this project's
    /// programs) or of Apple's PacketLogger, of the central's side or of the peripheral's. The script has what the
    /// capture shows:
    ///
    /// - what it advertised, its name and its ATT MTU;
    /// - its database: services, included services, characteristics, descriptors, as far as they were discovered;
    /// - values: the nth read of a characteristic gets what the nth one in the capture got, and when there are no more,
    ///   the present value; a write that the capture has is taken or refused as there;
    /// - notifications and indications, as long after the subscription as in the capture;
    /// - answers: a value that follows a write of the same service, or the answer before it of the same characteristic,
    ///   within one second is an answer to the write, unless its characteristic has sent something by itself before. An
    ///   equal write gets it again, as long after the write.
    ///
    /// What refused a connection for want of encryption demands an encrypted one. What the capture does not have is an
    /// error: where code under test reads, writes or subscribes to what nobody did in the capture, the trace says so,
    /// and the next `run(until:within:)` throws a ``WorldError`` with the line of this call. ``update(_:_:)`` changes
    /// the script before. ``unseen`` says what is missing of the database.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - device: The address or the name of the peripheral, where the capture has conversations with several; `local`
    ///     for the device whose host was captured.
    ///   - file: The file of the call, which is where mistakes are reported.
    ///   - line: The line of the call.
    /// - Throws: An error with one line, where the file cannot be read, or has no such conversation.
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

    /// The peripheral of a real conversation, from the content of a file; see
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

    /// Changes a characteristic of the script, such as one of which a capture does not have enough.
    ///
    /// ```swift
    /// var sensor = try ScriptedPeripheral(capture: "sensor.btsnoop")
    /// sensor.update("2A39") { $0.onWrite = { _, _ in .success } }
    /// ```
    ///
    /// - Returns: Whether there is a characteristic with that UUID; of several the first is changed.
    @discardableResult
    public mutating func update(_ characteristic: String, _ change: (inout Characteristic) -> Void) -> Bool {
        let uuid = CBUUID(string: characteristic)
        for service in self.services.indices {
            for index in self.services[service].characteristics.indices
            where self.services[service].characteristics[index].uuid == uuid {
                change(&self.services[service].characteristics[index])
                return true
            }
        }
        return false
    }

    /// A script of a recorded peripheral.
    init(_ recorded: RecordedPeripheral, _ caller: Caller) {
        var unseen: [String] = []
        let uuids = Dictionary(
            recorded.services.map { ($0.handles.lowerBound, CBUUID($0.uuid)) },
            uniquingKeysWith: { first, _ in first }
        )
        let services = recorded.services.map { service in
            if !service.wasDiscovered {
                unseen.append("the capture has no discovery of the characteristics of service \(service.uuid)")
            }
            return Service(
                CBUUID(service.uuid),
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
        if let data = recorded.advertisingData, data.readableBytes <= 31,
            (recorded.scanResponse?.readableBytes ?? 0) <= 31
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
        let uuid = CBUUID(recorded.uuid)
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
                    CBUUID($0.uuid),
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

/// Which services have space in an advertisement.
private enum AdvertisedServices {
    static func fitting(_ services: [ScriptedPeripheral.Service]) -> [CBUUID] {
        var length = 3
        var result: [CBUUID] = []
        for service in services where service.isPrimary {
            length += 2 + service.uuid.data.count
            guard length <= 31 else { break }
            result.append(service.uuid)
        }
        return result
    }
}

extension CBUUID {
    fileprivate convenience init(_ uuid: BluetoothUUID) { self.init(string: uuid.attForm.description) }
}
