#if Service
internal import CarillonLog
internal import CarillonModel

