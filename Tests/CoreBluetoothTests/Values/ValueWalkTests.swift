// Tables on record of everything that becomes a value of an app: UUIDs, errors, configurations, data for pairing.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import CoreBluetoothTesting
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Tables of values")
struct ValueWalkTests {
    @Test("UUIDs of all lengths: from octets, from texts, and what is no UUID")
    func uuids() {
        var chance = Chance(seed: 1)
        for step in 0..<60 {
            let octets = chance.data(chance.pick([2, 4, 16]))
            let uuid = CBUUID(data: octets)
            #expect(uuid.data == octets)
            #expect(CBUUID(string: uuid.uuidString) == uuid && CBUUID(string: uuid.uuidString).hash == uuid.hash)
            RunRecord.note("\(step) \(uuid.uuidString) \(uuid.description) \(uuid.hash) \(uuid.value.attForm)")
            let full = CBUUID(nsuuid: UUID(random: chance.next(), chance.next()))
            RunRecord.note("\(step) \(full.uuidString) \(noted(full.data)) \(full.hash) \(full == uuid)")
        }
        for count in 0...20 {
            let value = BluetoothUUID(mostSignificantFirst: chance.data(count))
            #expect((value != nil) == [2, 4, 16].contains(count))
        }
        for number in [0x1800, 0x180D, 0x2A37, 0x2901, 0x2902, 0xFFF0] as [UInt16] {
            let short = CBUUID(BluetoothUUID(number))
            let full = CBUUID(string: "0000\(number.hexDigits)-0000-1000-8000-00805F9B34FB")
            let prefixed = CBUUID(string: "0x\(number.hexDigits)")
            #expect(short == full && short == prefixed && short.hash == full.hash)
            #expect(!short.isEqual("text") && !short.isEqual(nil))
            RunRecord.note("\(short.description) \(full.description) \(prefixed.uuidString) \(noted(full.data))")
        }
        #expect(CBUUID().uuidString == "00000000-0000-0000-0000-000000000000")
    }

    @Test("every error of the host as an app sees it")
    func errors() {
        func note(_ what: String, _ error: (any Error)?) {
            let seen = error.map { error in
                let bridged = error as NSError
                return "\(type(of: error)) \(bridged.domain) \(bridged.code) \(error.localizedDescription)"
            }
            RunRecord.note("\(what) \(seen ?? "nil")")
        }
        for octet in UInt8.min...UInt8.max {
            let code = HCIErrorCode(rawValue: octet)
            note("disconnection \(octet)", CBError.disconnection(code))
            note("connection \(octet)", CBError.connectionFailure(code))
            note("advertising \(octet)", CBError.advertisingFailure(code))
            note("host \(octet)", coreBluetoothError(LEHostError.refused(code)))
            note("advertising refused \(octet)", CBError.advertisingFailure(LEHostError.refused(code)))
            note("GATT \(octet)", coreBluetoothError(GATTError.disconnected(code)))
            note("encryption \(octet)", coreBluetoothError(GATTError.encryptionFailed(code)))
            note("ATT \(octet)", coreBluetoothError(GATTError.att(ATTErrorCode(rawValue: octet), handle: 1)))
            note("subscription \(octet)", subscriptionError(.att(ATTErrorCode(rawValue: octet), handle: 1)))
            let reason = PairingFailedReason(rawValue: octet)
            RunRecord.note("pairing \(octet) \(PairingError.failed(reason).sentence)")
            RunRecord.note("pairing by peer \(octet) \(PairingError.failedByPeer(reason).sentence)")
            RunRecord.note("encryption \(octet) \(PairingError.encryptionFailed(code).sentence)")
        }
        for error in [
            GATTError.transactionTimeout, .malformedResponse, .notConnected, .pairingTimedOut, .reliableWriteMismatch,
        ] {
            note("GATT \(error)", coreBluetoothError(error))
            note("subscription \(error)", subscriptionError(error))
            let result = Result<Void, GATTError>.failure(error)
            RunRecord.note("\(error) \(result.isTimeout) \(result.isDisconnection) \(result.isOutOfSync)")
        }
        for error in [
            LEHostError.unanswered, .controllerLost, .malformedAnswer, .addressNotResolvedByPeer, .notConnected,
        ] {
            note("host \(error)", coreBluetoothError(error))
            note("advertising \(error)", CBError.advertisingFailure(error))
        }
        for number in (0...16).map({ UInt16($0) }) + [0xFFFF] {
            note("channel \(number)", coreBluetoothError(L2CAPChannelOpenError.refused(.init(rawValue: number))))
        }
        for error in [L2CAPChannelOpenError.notSupported, .invalidResponse, .timedOut, .noResources, .notConnected] {
            note("channel \(error)", coreBluetoothError(error))
        }
        for error in [L2CAPListenError.inUse, .invalidSPSM] { note("listening", CBError.publishingFailure(error)) }
        for error in [
            GATTDatabaseError.valueTooLong, .unknownIncludedService, .reservedDescriptor, .outOfHandles, .handlesInUse,
        ] {
            note("database \(error)", CBError.databaseFailure(error))
        }
        for error in [PairingError.cancelled, .timedOut, .linkEnded, .repeatedAttempts, .inProgress] {
            RunRecord.note("\(error.sentence)")
        }
    }

    @Test("every code of an app's errors, those of no name, and what an answer becomes")
    func codes() {
        for code in -1...25 {
            let error = CBError(_nsError: NSError(domain: CBErrorDomain, code: code))
            RunRecord.note("\(code) \(error.code.rawValue) \(error.code.sentence) \(error.errorCode)")
        }
        for code in [-1, 0, 1, 17, 18, 127, 128, 255, 256, 1_000] {
            let att = CBATTError.Code(code: code)
            #expect(att.rawValue == code && CBATTError.Code(rawValue: code) == att)
            RunRecord.note("\(code) \(att.sentence) \(ATTErrorCode.answer(att).map { "\($0.rawValue)" } ?? "nil")")
        }
        for (domain, code) in [(CBErrorDomain, 7), (CBATTErrorDomain, 7), ("other", 7)] {
            let error = NSError(domain: domain, code: code)
            RunRecord.note("\(domain) \((error as? CBError)?.code.rawValue ?? -1)")
            RunRecord.note("\(domain) \((error as? CBATTError)?.code.rawValue ?? -1)")
        }
        for state in (0...5).compactMap(CBManagerState.init(rawValue:)) { RunRecord.note("\(words(state))") }
        for state in (0...3).compactMap(CBPeripheralState.init(rawValue:)) { RunRecord.note("\(state.word)") }
        for error in [CBError(.unknown), CBATTError(.invalidHandle), GATTError.transactionTimeout, nil]
            as [(any Error)?]
        {
            RunRecord.note(words(error))
        }
        RunRecord.note("\(quoted(nil)) \(quoted("name"))")
    }

    @Test("the configuration of an adapter from the environment, with values at and over the limits")
    func environment() {
        let values = [
            "COREBLUETOOTH_IDENTITY": ["", "Crystal"], "COREBLUETOOTH_CAPTURE": ["", "file"],
            "COREBLUETOOTH_DISTANCE": ["", "0", "2.5", "-1.25", "-0.5", "infinity", "far away"],
            "COREBLUETOOTH_FLOW_CONTROL": ["", "on", "off", "perhaps"],
            "COREBLUETOOTH_PRIVACY": ["", "on", "off", "0000", "1", "2", "3600", "03601", "-17", "y"],
            "COREBLUETOOTH_POSITION": [
                "", "300,0", "17", "1,2,3,4", "1, 2", " 1.5 ,-2", "b,1", "17,", "1e19,0", "NAN,1",
            ],
        ]
        CapturedLog().capture {
            for (key, texts) in values {
                for text in texts {
                    let configuration = BluetoothAdapter.Configuration(environment: [key: text])
                    RunRecord.note(
                        """
                        \(key)=\(text) \(configuration.identity ?? "-") \(configuration.captureFile ?? "-") \
                        \(configuration.distance ?? -1) \(configuration.position.map { "\($0)" } ?? "-") \
                        \(configuration.controllerToHostFlowControl.map { "\($0)" } ?? "-") \
                        \(configuration.privacy.map { "\($0)" } ?? "-") \
                        \(configuration.location.map { "\($0)" } ?? "-")
                        """
                    )
                }
            }
        }
        for limit in [AirPosition.limit, -AirPosition.limit] {
            #expect(BluetoothAdapter.Configuration.position("\(limit),0") != nil)
            #expect(BluetoothAdapter.Configuration.position("0,\(limit * 1.001)") == nil)
        }
        for seconds in [-1, 0, 1, 2, 900, 3_599, 3_600, 3_601, 100_000] {
            let privacy = BluetoothAdapter.Configuration.Privacy(
                rotationInterval: .seconds(seconds),
                connectionsPerAddress: seconds
            )
            RunRecord.note("\(privacy.hostConfiguration)")
        }
    }

    @Test("what the host is configured with, for every capability, and what pairing has to give")
    func host() {
        let capabilities: [PairingCapabilities] = [.none, .display, .displayAndConfirm, .keyboard, .keyboardAndDisplay]
        for capability in capabilities {
            for (permits, requires, isOutOfBand) in [
                (true, false, false), (true, true, false), (false, false, true), (true, true, true),
            ] {
                var configuration = BluetoothAdapter.Configuration(deviceName: "name", identity: "Crystal")
                configuration.permitsPairing = permits
                configuration.requiresPairing = requires
                if capability != .display || requires {
                    configuration.pairingAgent = ScriptedPairingAgent(capability, usesOutOfBandData: isOutOfBand)
                }
                let host = configuration.hostConfiguration(address: nil)
                RunRecord.note("\(capability) \(permits) \(requires) \(isOutOfBand) \(host.pairing)")
                RunRecord.note("\(capability) \(permits) \(requires) \(isOutOfBand) \(configuration.requiredLevel)")
            }
        }
        for (name, control) in [("a", nil), ("b", true), ("c", false)] as [(String, Bool?)] {
            let configuration = BluetoothAdapter.Configuration(
                identity: name,
                preferredMTU: 100,
                controllerToHostFlowControl: control
            )
            let host = configuration.hostConfiguration(address: configuration.addressOnAir)
            RunRecord.note(
                "\(host.deviceName) \(host.preferredMTU) \(host.limitsReceivedData) \(configuration.addressOnAir)"
            )
        }
        for text in ["", "a", "Crystal"] { RunRecord.note("\(text) \(fnv1a(text.utf8))") }
    }

    @Test("data for pairing as octets and back, of every subset of its elements, and octets that are cut off")
    func outOfBand() {
        var chance = Chance(seed: 4)
        func element(_ type: UInt8, _ count: Int) -> [UInt8] { [UInt8(count + 1), type] + chance.octets(count) }
        for step in 0..<200 {
            var octets: [UInt8] = []
            for (type, count) in [(0x1B, 7), (0x10, 16), (0x22, 16), (0x23, 16), (0x09, 3)] as [(UInt8, Int)]
            where chance.below(3) > 0 {
                octets += element(type, chance.once(in: 6) ? count - 1 + chance.below(3) : count)
            }
            if chance.once(in: 8) { octets.removeLast(min(octets.count, chance.below(5))) }
            let data = PairingOutOfBandData(advertisingData: Data(octets))
            RunRecord.note("\(step) \(octets.hex) \(data.map { "\($0)" } ?? "nil") \(noted(data?.advertisingData))")
            guard let data else { continue }
            #expect(PairingOutOfBandData(advertisingData: data.advertisingData) == data)
            let addresses = ([0xC000_0000_0001, 0x4000_0000_0002] as [UInt64]).flatMap { value in
                [DeviceAddress(value, kind: .random), DeviceAddress(value, kind: .public)]
            }
            RunRecord.note("\(step) \((addresses + [data.address ?? addresses[0]]).map { data.fits($0) })")
            for isCentral in [true, false] {
                for exchange in [PairingOutOfBandExchange(peer: data), PairingOutOfBandExchange()] {
                    RunRecord.note("\(step) \(isCentral) \(exchange.data(asCentral: isCentral))")
                }
            }
        }
    }

    @Test("what a user enters: digits, signs, too many of them, nothing")
    func prompts() throws {
        let peer = PairingPeer(identifier: UUID(random: 1, 2), name: nil)
        let passkey = try #require(Passkey(7))
        let questions: [PairingQuestion] = [
            .displayPasskey(passkey), .enterPasskey, .compareNumbers(passkey),
            .consent(PairingConsent(model: nil, isBonding: true, replacesBond: true)),
            .consent(PairingConsent(model: nil, isBonding: true, replacesBond: false)),
        ]
        let record = RunRecord.current
        for (index, question) in questions.enumerated() {
            RunRecord.note("\(index) \(question.answerWithoutUser.map { "\($0)" } ?? "nil")")
            let prompt = PairingPrompt(question, of: peer) { record?.note("\(index) answers \($0)") }
            RunRecord.note("\(index) \(prompt.kind)")
            for code in [nil, "", "0", "7", "000007", "999999", "1000000", "0000007", "+7", "-7", " 7", "12a", "١"] {
                RunRecord.note("\(index) \(code ?? "nil")")
                prompt.enter(code)
            }
            for isConfirmed in [true, false] { prompt.confirm(isConfirmed) }
        }
    }
}
