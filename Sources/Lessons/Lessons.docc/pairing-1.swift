import CoreBluetooth

extension MagicBall {
    /// A ball that takes questions over an encrypted connection alone.
    static func forFriends(name: String) -> MagicBall {
        MagicBall(name: name, permissions: .writeEncryptionRequired)
    }
}
