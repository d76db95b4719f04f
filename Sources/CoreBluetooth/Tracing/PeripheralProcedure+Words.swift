// The procedures of `CBPeripheral` in Apple's words, for an observer of the adapter.

import BluetoothHost
import NIOCore

extension ServiceDiscovery {
    func call(on peripheral: CBPeripheral) -> String { "discoverServices(\(words(self.uuids)))" }

    func callback(_ result: Result<Answer, GATTError>, on peripheral: CBPeripheral) -> String {
        "didDiscoverServices\(foundWords(result))"
    }
}

extension IncludedServiceDiscovery {
    func call(on peripheral: CBPeripheral) -> String {
        "discoverIncludedServices(\(words(self.uuids)), for: \(peripheral.words(self.service)))"
    }

    func callback(_ result: Result<Answer, GATTError>, on peripheral: CBPeripheral) -> String {
        "didDiscoverIncludedServicesFor \(peripheral.words(self.service))\(foundWords(result))"
    }
}

extension CharacteristicDiscovery {
    func call(on peripheral: CBPeripheral) -> String {
        "discoverCharacteristics(\(words(self.uuids)), for: \(peripheral.words(self.service)))"
    }

    func callback(_ result: Result<Answer, GATTError>, on peripheral: CBPeripheral) -> String {
        "didDiscoverCharacteristicsFor \(peripheral.words(self.service))\(foundWords(result))"
    }
}

extension DescriptorDiscovery {
    func call(on peripheral: CBPeripheral) -> String {
        "discoverDescriptors(for: \(words(self.characteristic.uuid)))"
    }

    func callback(_ result: Result<Answer, GATTError>, on peripheral: CBPeripheral) -> String {
        "didDiscoverDescriptorsFor \(words(self.characteristic.uuid))\(foundWords(result))"
    }
}

extension ValueRead {
    func call(on peripheral: CBPeripheral) -> String { "readValue(for: \(peripheral.words(self.attribute)))" }

    func callback(_ result: Result<ByteBuffer, GATTError>, on peripheral: CBPeripheral) -> String {
        let what = peripheral.words(self.attribute)
        return switch result {
        case .success(let value): "didUpdateValueFor \(what): \(value.readableBytes) octets"
        case .failure(let error): "didUpdateValueFor \(what)\(words(error))"
        }
    }
}

extension ValueWrite {
    func call(on peripheral: CBPeripheral) -> String {
        let what = peripheral.words(self.attribute)
        let type =
            switch self.attribute {
            case .characteristic: ", type: .withResponse"
            case .descriptor: ""
            }
        return "writeValue(\(self.value.readableBytes) octets, for: \(what)\(type))"
    }

    func callback(_ result: Result<Void, GATTError>, on peripheral: CBPeripheral) -> String {
        "didWriteValueFor \(peripheral.words(self.attribute))\(words(result.failure))"
    }
}

extension SubscriptionChange {
    func call(on peripheral: CBPeripheral) -> String {
        "setNotifyValue(\(self.isSubscribed), for: \(words(self.characteristic.uuid)))"
    }

    func callback(_ result: Result<Void, GATTError>, on peripheral: CBPeripheral) -> String {
        "didUpdateNotificationStateFor \(words(self.characteristic.uuid))\(words(result.failure))"
    }
}

/// How many attributes were found, or why none could be.
private func foundWords(_ result: Result<some Collection, GATTError>) -> String {
    switch result {
    case .success(let found): ": \(found.count)"
    case .failure(let error): words(error)
    }
}
