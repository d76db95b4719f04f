// The recipe "value(forKey:)" of the page "Porting an app".

import CoreBluetooth

/// In place of `peripherals.map { $0.value(forKey: key) }`, with a key path such as `\.name` for the key "name".
func values<Value>(of peripherals: [CBPeripheral], _ key: KeyPath<CBPeripheral, Value>) -> [Value] {
    peripherals.map { $0[keyPath: key] }
}
